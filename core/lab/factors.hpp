// The heart of the report: how many times fewer tokens, how many times less time, and why the two differ on
// this run.
//
// Pure text over the numbers of count.json and time.json, and nothing those do not show. Time factor = token
// factor × (time of a token without the cache ÷ with it), so the time of a token on each side is the whole
// difference; what a step costs whatever it is fed, solved from the two times, says where it comes from.
#pragma once

#include <optional>
#include <string>

#include "core/lab/greedy_pair.hpp"
#include "core/lab/time_file.hpp"

namespace mm {

/// Seconds of one token that entered `forward`, on each side.
struct TokenTimes {
    double with_cache = 0;
    double without_cache = 0;
};

TokenTimes token_times(const GreedyPairResult& pair, const TimingSummary& times);

/// Both runs read as N steps: time = N × step + fed × token. Two runs, two unknowns, in seconds.
struct StepCost {
    double step = 0;   // of one step, however many tokens it is fed
    double token = 0;  // of each token fed
};

/// Empty when no costs ≥ 0 give these times: the reading does not fit the run.
std::optional<StepCost> step_cost(const GreedyPairResult& pair, const TimingSummary& times);

/// Korean: the table of both factors, then one paragraph of why they differ (or agree).
std::string factors_markdown(const GreedyPairResult& pair, const TimingSummary& times);

}  // namespace mm
