// From logits to the next token's probabilities, in MiniMind's order: temperature → repetition penalty →
// top-k → top-p → softmax. One chain for the decoding loop and for whoever wants to look at its stages
// (core/decode/distribution.hpp). Drawing from the probabilities is TorchGenerator::multinomial's business.
//
// To add a filter: a function beside keep_top_p, a line in Sampler::probabilities, a row in the table of
// sampling_options.cpp, a test in tests/decode/sampler_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/decode/sampling_options.hpp"

namespace mm {

enum class SamplingStage {
    scaled,  // logits / temperature, then the penalty
    top_k,   // at temperature 0: the argmax alone
    top_p,
};

/// Sees what each stage leaves. @param scores [V], −inf for a dropped token; @param kept tokens not dropped.
using SamplingObserver =
    std::function<void(SamplingStage stage, std::span<const float> scores, std::size_t kept)>;

/// Descending score, ties to the lower id: the one order of the project.
struct ByScore {
    const float* scores;
    bool operator()(TokenId a, TokenId b) const {
        const float x = scores[a];
        const float y = scores[b];
        return x != y ? x > y : a < b;
    }
};

/// Adds up probabilities in the order given; PyTorch's cumsum keeps float64 and rounds each element.
class CumulativeSum {
  public:
    float add(float probability) {
        sum_ += double{probability};
        return static_cast<float>(sum_);
    }

  private:
    double sum_ = 0;
};

/// Allocates only when constructed.
class Sampler {
  public:
    /// @throws Error{range} as SamplingOptions::validate.
    Sampler(const SamplingOptions& options, std::size_t vocab_size);

    /// The whole chain. At temperature 0 all probability is on the argmax.
    /// @param logits   [V], one position
    /// @param history  prompt and generated ids so far, for the repetition penalty (each distinct id once)
    /// @param out      [V]
    /// @param observe  may be empty, as it is in the decoding loop
    /// @throws Error{range} a history id outside the vocabulary; logits that hold NaN or +inf, or nothing
    ///         but −inf.
    void probabilities(std::span<const float> logits, std::span<const TokenId> history, std::span<float> out,
                       const SamplingObserver& observe = {});

    /// argmax after temperature and penalty, ties to the lower id. (The filters always leave it.)
    TokenId greedy(std::span<const float> logits, std::span<const TokenId> history);

  private:
    std::size_t keep_best(std::span<float> scores) const;
    std::size_t keep_top_k(std::span<float> scores);
    std::size_t keep_top_p(std::span<float> scores, std::size_t kept);

    SamplingOptions options_;
    std::vector<float> scratch_;  // [V]
    std::vector<TokenId> order_;  // [V]
};

}  // namespace mm
