#include "core/decode/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

constexpr float kDropped = -std::numeric_limits<float>::infinity();

/// Descending score, ties to the lower id: the one order of the project.
struct ByScore {
    const float* scores;
    bool operator()(TokenId a, TokenId b) const {
        const float x = scores[a];
        const float y = scores[b];
        return x != y ? x > y : a < b;
    }
};

/// Temperature and penalty: out[i] = logits[i] / t; of ids in the history once: > 0 ? score / r : score · r.
void score(std::span<const float> logits, std::span<const TokenId> history, const SamplingOptions& options,
           float* out) {
    const auto temperature = static_cast<float>(options.temperature == 0 ? 1 : options.temperature);
    for (std::size_t i = 0; i < logits.size(); ++i) out[i] = logits[i] / temperature;
    if (options.repetition_penalty != 1.0) {
        const auto penalty = static_cast<float>(options.repetition_penalty);
        for (const TokenId id : history) {
            if (id < 0 || static_cast<std::size_t>(id) >= logits.size()) {
                throw_error(ErrorKind::range, join({"token id ", id, " is not in the vocabulary"}),
                            {.field = "history"});
            }
            // From the logit each time, so that an id that occurs twice is penalised once.
            const float value = logits[static_cast<std::size_t>(id)] / temperature;
            out[id] = value > 0 ? value / penalty : value * penalty;
        }
    }
    unsigned unsound = 0, possible = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        unsound |= static_cast<unsigned>(!(out[i] <= std::numeric_limits<float>::max()));  // NaN or +inf
        possible |= static_cast<unsigned>(out[i] != kDropped);
    }
    if (unsound != 0 || possible == 0) {
        throw_error(ErrorKind::range,
                    "NaN or infinite after temperature and penalty: there is nothing to choose from",
                    {.field = "logits"});
    }
}

/// The k-th largest score; `scratch` [V] is overwritten.
float top_k_threshold(const float* scores, std::size_t count, std::int64_t k, float* scratch) {
    std::copy_n(scores, count, scratch);
    std::nth_element(scratch, scratch + k - 1, scratch + count, std::greater<>());
    return scratch[k - 1];
}

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

bool top_p_is_on(const SamplingOptions& options) {
    return options.top_p < 1.0;
}

void check_size(std::span<const float> logits) {
    if (logits.empty()) throw_error(ErrorKind::range, "there are no logits", {.field = "logits"});
}

}  // namespace

void SamplingOptions::validate(std::int64_t vocab_size) const {
    const auto fail = [](const char* field, std::string_view message) {
        throw_error(ErrorKind::range, message, {.field = field});
    };
    const auto usable = [](double value) {
        const auto single = static_cast<float>(value);
        return single > 0 && single <= std::numeric_limits<float>::max();
    };
    if (temperature != 0 && !usable(temperature))
        fail("temperature", "must be 0 (greedy) or a finite number above 0");
    if (top_k < 0) fail("top_k", "must be 0 (off) or positive");
    if (top_k > vocab_size) {
        fail("top_k", join({top_k, " is more than the vocabulary's ", vocab_size, " tokens"}));
    }
    if (!(top_p >= 0 && top_p <= 1)) fail("top_p", "must be in [0, 1]");
    if (!usable(repetition_penalty)) fail("repetition_penalty", "must be a finite number above 0");
}

void distribution(std::span<const float> logits, std::span<const TokenId> history,
                  const SamplingOptions& options, Distribution& out) {
    check_size(logits);
    const std::size_t count = logits.size();
    options.validate(static_cast<std::int64_t>(count));
    out.scaled.resize(count);
    out.filtered.resize(count);
    out.probabilities.resize(count);
    out.order.resize(count);
    out.cumulative.resize(count);

    score(logits, history, options, out.scaled.data());
    std::iota(out.order.begin(), out.order.end(), TokenId{0});
    std::sort(out.order.begin(), out.order.end(), ByScore{out.scaled.data()});
    const auto ranked = [&](std::size_t rank) { return static_cast<std::size_t>(out.order[rank]); };

    std::size_t kept = count;
    if (options.temperature == 0) {
        kept = 1;
    } else if (options.top_k > 0) {
        kept = static_cast<std::size_t>(options.top_k);
        const float threshold = out.scaled[ranked(kept - 1)];
        while (kept < count && out.scaled[ranked(kept)] == threshold) ++kept;  // ties stay
    }
    out.kept_top_k = kept;
    std::fill(out.filtered.begin(), out.filtered.end(), kDropped);
    for (std::size_t rank = 0; rank < kept; ++rank) out.filtered[ranked(rank)] = out.scaled[ranked(rank)];

    softmax(out.filtered.data(), count, out.probabilities.data());
    CumulativeSum sum;
    for (std::size_t rank = 0; rank < count; ++rank)
        out.cumulative[rank] = sum.add(out.probabilities[ranked(rank)]);
    if (top_p_is_on(options)) {
        const auto p = static_cast<float>(options.top_p);
        const auto crossing = std::find_if(out.cumulative.begin(), out.cumulative.end(),
                                           [p](float cumulative) { return cumulative > p; });
        if (crossing != out.cumulative.end()) {
            kept = std::min(kept, static_cast<std::size_t>(crossing - out.cumulative.begin()) + 1);
        }
        for (std::size_t rank = kept; rank < count; ++rank) out.filtered[ranked(rank)] = kDropped;
        softmax(out.filtered.data(), count, out.probabilities.data());
    }
    out.kept = kept;
}

std::size_t top_p_survivors(std::span<const float> logits, double temperature, double p) {
    SamplingOptions options;
    options.temperature = temperature;
    options.top_k = 0;
    options.top_p = p;
    Distribution result;
    distribution(logits, {}, options, result);
    return result.kept;
}

Sampler::Sampler(const SamplingOptions& options, std::size_t vocab_size)
    : options_(options), scores_(vocab_size), order_(vocab_size) {
    options.validate(static_cast<std::int64_t>(vocab_size));
}

void Sampler::probabilities(std::span<const float> logits, std::span<const TokenId> history,
                            std::span<float> out) {
    check_size(logits);
    const std::size_t count = logits.size();
    score(logits, history, options_, out.data());
    if (options_.temperature == 0) {
        const std::size_t best = argmax(out.data(), count);
        std::fill(out.begin(), out.end(), 0.0f);
        out[best] = 1;
        return;
    }
    if (options_.top_k > 0) {
        const float threshold = top_k_threshold(out.data(), count, options_.top_k, scores_.data());
        for (float& value : out) value = value < threshold ? kDropped : value;
    }
    if (top_p_is_on(options_)) {
        std::copy(out.begin(), out.end(), scores_.begin());
        softmax(out.data(), count, out.data());
        // Dropped tokens have no probability and come last: they need no place in the order.
        std::size_t candidates = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (scores_[i] != kDropped) order_[candidates++] = static_cast<TokenId>(i);
        }
        const ByScore by_score{scores_.data()};
        const auto p = static_cast<float>(options_.top_p);
        CumulativeSum sum;
        std::size_t kept = 0;
        bool crossed = false;
        // The nucleus is usually small: bring the next few best tokens to the front until p is crossed.
        for (std::size_t sorted = 0; !crossed && sorted < candidates;) {
            const std::size_t next = std::min(candidates, std::max<std::size_t>(64, 4 * sorted));
            const auto at = [this](std::size_t rank) {
                return order_.begin() + static_cast<std::ptrdiff_t>(rank);
            };
            if (next < candidates) std::nth_element(at(sorted), at(next), at(candidates), by_score);
            std::sort(at(sorted), at(next), by_score);
            while (kept < next && !crossed) {
                crossed = sum.add(out[static_cast<std::size_t>(order_[kept])]) > p;
                ++kept;
            }
            sorted = next;
        }
        std::fill(out.begin(), out.end(), kDropped);
        for (std::size_t rank = 0; rank < kept; ++rank) {
            const auto id = static_cast<std::size_t>(order_[rank]);
            out[id] = scores_[id];
        }
    }
    softmax(out.data(), count, out.data());
}

TokenId Sampler::greedy(std::span<const float> logits, std::span<const TokenId> history) {
    check_size(logits);
    score(logits, history, options_, scores_.data());
    return static_cast<TokenId>(argmax(scores_.data(), logits.size()));
}

}  // namespace mm
