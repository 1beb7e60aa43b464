// From logits to the next token's probabilities, in MiniMind's order: temperature → repetition penalty →
// top-k → top-p → softmax.
//
// `distribution` is pure and keeps every stage, so a slider needs no new forward. `Sampler` is the same
// arithmetic for the decoding loop: it keeps nothing and sorts only what it must. Drawing from the
// probabilities is TorchGenerator::multinomial's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/token_id.hpp"

namespace mm {

struct SamplingOptions {
    double temperature = 0.85;        // 0 = greedy in our tools; else finite and > 0
    std::int64_t top_k = 50;          // 0 = off; ≤ V
    double top_p = 0.85;              // in [0, 1]; 1 = off; 0 keeps one token
    double repetition_penalty = 1.0;  // finite and > 0; 1 = off
    bool do_sample = true;

    /// @throws Error{range} naming the option (temperature, top_k, top_p, repetition_penalty). Values are
    /// judged
    ///         as the float32 numbers they are used as.
    void validate(std::int64_t vocab_size) const;
    bool greedy() const { return !do_sample || temperature == 0; }
};

/// Every stage of one position's distribution, all of length V unless said otherwise. At temperature 0 all
/// probability is on the argmax.
struct Distribution {
    std::vector<float> scaled;         // logits / temperature, then the penalty
    std::vector<float> filtered;       // −inf where top-k or top-p dropped a token
    std::vector<float> probabilities;  // softmax(filtered)
    std::vector<TokenId> order;        // token ids by descending score; ties: lower id first
    std::vector<float> cumulative;     // after top-k, by that order: float64 running sum rounded to float32
    std::size_t kept_top_k = 0;        // tokens left after top-k
    std::size_t kept = 0;              // tokens left after top-p: the first `kept` of `order`
};

/// @param logits   [V], one position
/// @param history  prompt and generated ids so far, for the repetition penalty (each distinct id once)
/// @param out      reused: no allocation when its vectors are large enough
/// @throws Error{range} an option or a history id outside its range; logits that hold NaN or +inf.
void distribution(std::span<const float> logits, std::span<const TokenId> history,
                  const SamplingOptions& options, Distribution& out);

/// MiniMind's top-p rule alone: how many tokens stay under `p` at a temperature with top-k off: in descending
/// order every token up to the one with which the cumulative probability first exceeds p.
/// @throws Error{range} as `distribution`.
std::size_t top_p_survivors(std::span<const float> logits, double temperature, double p);

/// The decoding loop's way from logits to probabilities; allocates only when constructed.
class Sampler {
  public:
    /// @throws Error{range} as SamplingOptions::validate.
    Sampler(const SamplingOptions& options, std::size_t vocab_size);

    /// out[V]: the same bits as distribution(…).probabilities.
    void probabilities(std::span<const float> logits, std::span<const TokenId> history, std::span<float> out);

    /// argmax after temperature and penalty, ties to the lower id. (The filters always leave it.)
    TokenId greedy(std::span<const float> logits, std::span<const TokenId> history);

  private:
    SamplingOptions options_;
    std::vector<float> scores_;   // [V]
    std::vector<TokenId> order_;  // [V]
};

}  // namespace mm
