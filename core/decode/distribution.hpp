// Every stage of one position's sampling, for looking at: a slider needs no new forward.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/decode/sampler.hpp"

namespace mm {

/// All of length V. At temperature 0 all probability is on the argmax.
struct Distribution {
    std::vector<float> scaled;         // logits / temperature, then the penalty
    std::vector<float> filtered;       // −inf where a filter dropped a token
    std::vector<float> probabilities;  // softmax(filtered)
    std::vector<TokenId> order;        // token ids by descending score; ties: lower id first
    std::vector<float> cumulative;     // after top-k, by that order: float64 running sum rounded to float32
    std::size_t kept_top_k = 0;        // tokens left after top-k
    std::size_t kept = 0;              // tokens left in the end: the first `kept` of `order`
};

/// Runs the sampler's chain and keeps what its stages show.
/// @param logits   [V], one position
/// @param history  as Sampler::probabilities
/// @param out      reused: its vectors keep their memory
/// @throws Error{range} as Sampler.
void distribution(std::span<const float> logits, std::span<const TokenId> history,
                  const SamplingOptions& options, Distribution& out);

/// MiniMind's top-p rule alone: how many tokens stay under `p` at a temperature with top-k off: in descending
/// order every token up to the one with which the cumulative probability first exceeds p.
/// @throws Error{range} as `distribution`.
std::size_t top_p_survivors(std::span<const float> logits, double temperature, double p);

}  // namespace mm
