// A distribution as a reader looks at it: by rank, with the cut, and how spread out it is.
//
// Between `distribution` (every stage, by token id) and whoever draws it. Pure; texts of tokens are other
// layers' business.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/decode/sampling_options.hpp"

namespace mm {

struct RankedToken {
    TokenId id = 0;
    std::size_t rank = 0;   // 0 = likeliest
    float logit = 0;        // before everything
    float probability = 0;  // at temperature 1, nothing cut
    float now = 0;          // after temperature, top-k and top-p
    bool kept = false;
    float cumulative = 0;  // after temperature and top-k, up to and including this rank
};

struct DistributionSummary {
    // By rank, [V].
    std::vector<TokenId> ids;
    std::vector<float> probabilities;  // after the temperature, before the cuts
    std::vector<float> cumulative;     // after the temperature and top-k

    std::size_t kept_top_k = 0;
    std::size_t kept = 0;
    RankedToken crossing;  // the last kept one: with it the sum first exceeds top_p, or it is the last of all
    std::vector<RankedToken> top;         // the likeliest
    std::vector<RankedToken> around_cut;  // a few on both sides of it

    // All that are not in `top`, together.
    std::size_t rest_count = 0;
    double rest_probability = 0;  // at temperature 1, nothing cut
    double rest_now = 0;

    // In bits; 2^entropy is how many equally likely tokens it is worth.
    double entropy_before = 0;  // at temperature 1, nothing cut
    double entropy_now = 0;
    double choices_before = 1;
    double choices_now = 1;
};

/// −Σ p·log2 p, in bits; the same on every target.
double entropy_bits(std::span<const float> probabilities);

/// @param logits   [V], one position
/// @param options  without a repetition penalty: a single position has no history
/// @param entries  how many of the likeliest stand in `top`
/// @throws Error{range} as `distribution`, and for a repetition penalty
DistributionSummary summarize(std::span<const float> logits, const SamplingOptions& options,
                              std::size_t entries);

}  // namespace mm
