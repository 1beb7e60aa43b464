#include "core/decode/distribution.hpp"

#include <algorithm>
#include <numeric>

#include "core/tensor/ops.hpp"

namespace mm {

void distribution(std::span<const float> logits, std::span<const TokenId> history,
                  const SamplingOptions& options, Distribution& out) {
    const std::size_t count = logits.size();
    out.probabilities.resize(count);
    out.cumulative.resize(count);
    std::vector<float> after_top_k(count);
    const auto observe = [&](SamplingStage stage, std::span<const float> scores, std::size_t kept) {
        switch (stage) {
            case SamplingStage::scaled:
                out.scaled.assign(scores.begin(), scores.end());
                break;
            case SamplingStage::top_k:
                softmax(scores.data(), count, after_top_k.data());
                out.kept_top_k = kept;
                break;
            case SamplingStage::top_p:
                out.filtered.assign(scores.begin(), scores.end());
                out.kept = kept;
                break;
        }
    };
    Sampler(options, count).probabilities(logits, history, out.probabilities, observe);

    out.order.resize(count);
    std::iota(out.order.begin(), out.order.end(), TokenId{0});
    std::sort(out.order.begin(), out.order.end(), ByScore{out.scaled.data()});
    CumulativeSum sum;
    for (std::size_t rank = 0; rank < count; ++rank) {
        out.cumulative[rank] = sum.add(after_top_k[static_cast<std::size_t>(out.order[rank])]);
    }
}

std::size_t top_p_survivors(std::span<const float> logits, double temperature, double p) {
    Distribution result;
    distribution(logits, {}, {.temperature = temperature, .top_k = 0, .top_p = p}, result);
    return result.kept;
}

}  // namespace mm
