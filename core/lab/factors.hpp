// The heart of the report: how many times fewer tokens, how many times less time, and why the two differ on
// this run.
//
// Pure text over the results of steps 1 to 3. Every number in the explanation is one of the run's own: time
// factor = token factor × (time of a token without the cache ÷ with it), so the time of a token on each side
// is the whole reason, and the cached side's first step and one-token steps say where it comes from.
#pragma once

#include <string>

#include "core/lab/greedy_pair.hpp"
#include "core/lab/timing.hpp"

namespace mm {

/// Seconds of one token that entered `forward`, on each side and in the two parts of the cached run.
struct TokenTimes {
    double with_cache = 0;
    double without_cache = 0;
    double first_step = 0;   // a token of the prompt, all fed at once
    double later_steps = 0;  // a token fed alone
};

TokenTimes token_times(const GreedyPairResult& pair, const TimingResult& timing);

/// Korean: the table of both factors, then one paragraph of why they differ (or agree).
std::string factors_markdown(const GreedyPairResult& pair, const TimingResult& timing);

}  // namespace mm
