// Step 6: how many candidates MiniMind's top-p rule keeps for the next token, at a broad position and, for
// comparison, at a sharp one.
//
// Makes topp.json (the broad position). The rule itself is core/decode/sampler.hpp's.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/steps.hpp"
#include "core/lab/candidates.hpp"
#include "core/lab/context.hpp"

namespace mm {

constexpr std::array<double, 3> kLabThresholds{0.5, 0.9, 0.99};
constexpr std::string_view kLabBroadText = "민수는";
constexpr std::string_view kLabSharpText = "마을의 특산물은";

struct TopPSurvivors {
    double p = 0;
    std::size_t count = 0;
};

/// The next-token distribution after [bos] + encode(text).
struct TopPPosition {
    std::string text;
    std::vector<TopPSurvivors> survivors;  // of kLabThresholds, in order
    std::vector<Candidate> top;            // the likeliest, best first
};

struct TopPResult {
    TopPPosition broad;
    TopPPosition sharp;
};

/// @param context pretrained model and tokenizer
TopPPosition measure_position(const LabContext& context, std::string_view text);
/// A position a step. @param context must outlive the work
Steps<TopPResult> top_p_in_steps(const LabContext& context);
TopPResult run_top_p(const LabContext& context);

/// {"0.5": n, "0.9": n, "0.99": n} of the broad position
std::string to_json(const TopPResult& result);
/// Korean: survivors of both positions, which of them is sharper on this run, and their likeliest tokens.
std::string to_markdown(const TopPResult& result);

}  // namespace mm
