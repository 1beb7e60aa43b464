// Step 3: how long the greedy 64 tokens take with the KV cache and without.
//
// Makes time.json. Only `generate` is timed: no loading, no warm-up, not the telling of progress. What
// entered `forward` meanwhile is greedy_pair.hpp's question; why the two factors differ is factors.hpp's.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "core/base/token_id.hpp"
#include "core/lab/context.hpp"

namespace mm {

constexpr std::size_t kTimedRuns = 3;
constexpr double kUnsteady = 1.2;  // a spread from here on leaves room for chance

/// One timed generation, in seconds.
struct TimedRun {
    double seconds = 0;
    double first_step_seconds =
        0;  // of which until the first new token: the step that feeds the whole prompt
};

struct TimingResult {
    std::array<TimedRun, kTimedRuns> with_cache;  // in the order they ran
    std::array<TimedRun, kTimedRuns> without_cache;

    /// The median run: its time is what time.json holds.
    const TimedRun& with_cache_median() const;
    const TimedRun& without_cache_median() const;
    /// without ÷ with, of the medians.
    double speedup() const;
    /// Longest ÷ shortest of the three runs, the larger of both sides: 1 = perfectly steady.
    double spread() const;
};

/// Three runs of each kind, alternating so that a machine that gets busier or slower meets both alike.
/// @param prompt   ≥ 1 ids
/// @param warm_up  false when the same two generations have just run (step 1): those serve as the warm-up
/// @throws Error{range} when the clock is too coarse to see a run
TimingResult run_timing(const LabContext& context, std::span<const TokenId> prompt, bool warm_up);

/// {"with_cache_s": x, "without_cache_s": y, "speedup": y / x}, seconds to the nanosecond.
std::string to_json(const TimingResult& result);
/// Korean: the three runs of each side and how steady they were.
std::string to_markdown(const TimingResult& result);

}  // namespace mm
