// Step 3: how long the greedy 64 tokens take with the KV cache and without.
//
// Measures what time.json (time_file.hpp) and the report keep of it; the runs themselves are for the terminal
// and the page. Only `generate` is timed: no loading, no warm-up, not the telling of progress. What entered
// `forward` meanwhile is greedy_pair.hpp's question; why the two factors differ is factors.hpp's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/steps.hpp"
#include "core/base/token_id.hpp"
#include "core/lab/context.hpp"
#include "core/lab/time_file.hpp"

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
    /// The medians and their ratio.
    TimingSummary summary() const;
    /// Longest ÷ shortest of the three runs, the larger of both sides: 1 = perfectly steady.
    double spread() const;
};

/// Seconds of one token that the cached median run fed: of the prompt, all at once, and then one a step.
struct CachedTokenTimes {
    double first_step = 0;
    double later_steps = 0;
};

/// @param prompt_len  P ≥ 1
/// @param new_tokens  N ≥ 2
CachedTokenTimes cached_token_times(const TimingResult& timing, std::int64_t prompt_len,
                                    std::int64_t new_tokens);

/// The smallest difference that two readings of a clock show, in seconds: browsers round theirs. Reads it
/// until it has moved a few times.
/// @throws Error{range} for a clock that does not move
double clock_resolution(const std::function<double()>& clock_seconds);

/// Three runs of each kind, alternating so that a machine that gets busier or slower meets both alike;
/// seconds to the nanosecond. Only the time inside steps counts, not the rests between them.
/// @param context  must outlive the work
/// @param prompt   ≥ 1 ids
/// @param warm_up  false when the same two generations have just run (step 1): those serve as the warm-up
/// @throws Error{range} when the clock is too coarse to see a run
Steps<TimingResult> timing_in_steps(const LabContext& context, std::vector<TokenId> prompt, bool warm_up);
TimingResult run_timing(const LabContext& context, std::span<const TokenId> prompt, bool warm_up);

}  // namespace mm
