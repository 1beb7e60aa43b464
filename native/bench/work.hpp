// The work that is timed on one model, and what it costs at least.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/model/model.hpp"

namespace mm {

/// Reads a clock, in seconds.
using WorkClock = double (*)();
/// One thread is timed by its own processor time, which other programs on the machine do not lengthen;
/// several by the wall clock.
WorkClock work_clock(int threads);

/// The lab's step 3 with the cache, taken apart.
struct CachedRun {
    double prefill_seconds = 0;  // until the first new token
    double seconds = 0;          // all
    std::vector<TokenId> ids;
};
CachedRun time_cached(const Model& model, WorkClock clock);

/// The same without the cache: step n feeds 201 + n tokens. A step does not need the ones before it, only
/// their tokens; so a few steps spread evenly over the run stand for all where all would take too long.
/// @param ids    what the cached run gave; every step must give its own again
/// @param steps  how many of the 64 are timed, a divisor of 64
/// @return seconds of all 64
/// @throws Error{internal} when a step gives another token
double time_uncached(const Model& model, const std::vector<TokenId>& ids, std::int64_t steps,
                     WorkClock clock);

/// Step 5 at one temperature: 30 rows of 24 drawn tokens after a prompt of 24, all made (no eos), in seconds.
double time_samples(const Model& model, WorkClock clock);

/// One token after `depth` − kBenchSteps … `depth` − 1 others (made-up keys and values).
struct DepthRun {
    double seconds_per_token = 0;
    std::uint64_t cache_bytes = 0;  // counted on the buffers
};
class DepthProbe {
  public:
    DepthProbe(const Model& model, std::int64_t depth);
    DepthRun time(WorkClock clock);

  private:
    const Model& model_;
    KvCache cache_;
    Workspace workspace_;
    Matrix logits_;
};

/// Least seconds for feeding `tokens` tokens after `start` others, and logits of the last.
/// @param flops  per second at most  @param bandwidth bytes per second at most
double least_seconds(const Model& model, std::int64_t start, std::int64_t tokens, double flops,
                     double bandwidth);

}  // namespace mm
