#include "core/decode/sampler.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

constexpr float kDropped = -std::numeric_limits<float>::infinity();

/// Of each id in the history, once: score > 0 ? score / r : score · r.
void penalise(std::span<const float> logits, std::span<const TokenId> history, float temperature,
              float penalty, std::span<float> out) {
    for (const TokenId id : history) {
        if (id < 0 || static_cast<std::size_t>(id) >= logits.size()) {
            throw_error(ErrorKind::range, join({"token id ", id, " is not in the vocabulary"}),
                        {.field = "history"});
        }
        // From the logit each time, so that an id that occurs twice is penalised once.
        const float value = logits[static_cast<std::size_t>(id)] / temperature;
        out[static_cast<std::size_t>(id)] = value > 0 ? value / penalty : value * penalty;
    }
}

void check_that_one_can_be_chosen(std::span<const float> scores) {
    unsigned unsound = 0, possible = 0;
    for (const float score : scores) {
        unsound |= static_cast<unsigned>(!(score <= std::numeric_limits<float>::max()));  // NaN or +inf
        possible |= static_cast<unsigned>(score != kDropped);
    }
    if (unsound != 0 || possible == 0) {
        throw_error(ErrorKind::range,
                    "NaN or infinite after temperature and penalty: there is nothing to choose from",
                    {.field = "logits"});
    }
}

void scale(std::span<const float> logits, std::span<const TokenId> history, const SamplingOptions& options,
           std::span<float> out) {
    if (logits.empty()) throw_error(ErrorKind::range, "there are no logits", {.field = "logits"});
    const auto temperature = static_cast<float>(options.temperature == 0 ? 1 : options.temperature);
    for (std::size_t i = 0; i < logits.size(); ++i) out[i] = logits[i] / temperature;
    if (options.repetition_penalty != 1.0) {
        penalise(logits, history, temperature, static_cast<float>(options.repetition_penalty), out);
    }
    check_that_one_can_be_chosen(out);
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, std::size_t vocab_size)
    : options_(options), scratch_(vocab_size), order_(vocab_size) {
    options.validate(static_cast<std::int64_t>(vocab_size));
}

void Sampler::probabilities(std::span<const float> logits, std::span<const TokenId> history,
                            std::span<float> out, const SamplingObserver& observe) {
    std::size_t kept = logits.size();
    const auto show = [&](SamplingStage stage) {
        if (observe) observe(stage, out, kept);
    };
    scale(logits, history, options_, out);
    show(SamplingStage::scaled);
    if (options_.temperature == 0) {
        kept = keep_best(out);
    } else if (options_.top_k > 0) {
        kept = keep_top_k(out);
    }
    show(SamplingStage::top_k);
    if (options_.top_p < 1) kept = keep_top_p(out, kept);
    show(SamplingStage::top_p);
    softmax(out.data(), out.size(), out.data());
}

std::size_t Sampler::keep_best(std::span<float> scores) const {
    const std::size_t best = argmax(scores.data(), scores.size());
    const float score = scores[best];
    std::fill(scores.begin(), scores.end(), kDropped);
    scores[best] = score;
    return 1;
}

/// Ties with the k-th largest stay.
std::size_t Sampler::keep_top_k(std::span<float> scores) {
    const auto k = static_cast<std::ptrdiff_t>(options_.top_k);
    std::copy(scores.begin(), scores.end(), scratch_.begin());
    std::nth_element(scratch_.begin(), scratch_.begin() + k - 1, scratch_.end(), std::greater<>());
    const float threshold = scratch_[static_cast<std::size_t>(k) - 1];
    std::size_t kept = 0;
    for (float& score : scores) {
        kept += score >= threshold ? 1 : 0;
        score = score < threshold ? kDropped : score;
    }
    return kept;
}

/// In descending order, up to and with the token whose cumulative probability first exceeds p.
std::size_t Sampler::keep_top_p(std::span<float> scores, std::size_t kept) {
    // The scores are kept aside, and their place holds the probabilities.
    std::copy(scores.begin(), scores.end(), scratch_.begin());
    softmax(scores.data(), scores.size(), scores.data());
    // Dropped tokens have no probability and come last: they need no place in the order.
    std::size_t candidates = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (scratch_[i] != kDropped) order_[candidates++] = static_cast<TokenId>(i);
    }
    const ByScore by_score{scratch_.data()};
    const auto at = [this](std::size_t rank) { return order_.begin() + static_cast<std::ptrdiff_t>(rank); };
    const auto p = static_cast<float>(options_.top_p);
    CumulativeSum sum;
    std::size_t taken = 0;
    bool crossed = false;
    // The nucleus is usually small: bring the next few best tokens to the front until p is crossed.
    for (std::size_t sorted = 0; !crossed && sorted < candidates;) {
        const std::size_t next = std::min(candidates, std::max<std::size_t>(64, 4 * sorted));
        if (next < candidates) std::nth_element(at(sorted), at(next), at(candidates), by_score);
        std::sort(at(sorted), at(next), by_score);
        while (taken < next && !crossed) {
            crossed = sum.add(scores[static_cast<std::size_t>(order_[taken])]) > p;
            ++taken;
        }
        sorted = next;
    }
    std::fill(scores.begin(), scores.end(), kDropped);
    for (std::size_t rank = 0; rank < taken; ++rank) {
        const auto id = static_cast<std::size_t>(order_[rank]);
        scores[id] = scratch_[id];
    }
    return crossed ? taken : kept;
}

TokenId Sampler::greedy(std::span<const float> logits, std::span<const TokenId> history) {
    scale(logits, history, options_, scratch_);
    return static_cast<TokenId>(argmax(scratch_.data(), scratch_.size()));
}

}  // namespace mm
