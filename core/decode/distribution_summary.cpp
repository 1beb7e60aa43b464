#include "core/decode/distribution_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/exact_math.hpp"
#include "core/decode/distribution.hpp"

namespace mm {
namespace {

constexpr std::size_t kAroundCut = 3;  // on each side

}  // namespace

double entropy_bits(std::span<const float> probabilities) {
    double sum = 0;
    for (const float p : probabilities) {
        if (p > 0) sum -= double{p} * exact_log(double{p});
    }
    return std::max(0.0, sum / std::numbers::ln2);
}

DistributionSummary summarize(std::span<const float> logits, const SamplingOptions& options,
                              std::size_t entries) {
    if (options.repetition_penalty != 1.0) {
        throw_error(ErrorKind::range, "a single position has no history to penalise",
                    {.field = "repetition_penalty"});
    }
    Distribution before;
    distribution(logits, {}, {.temperature = 1.0, .top_k = 0, .top_p = 1.0}, before);
    Distribution warmed;
    distribution(logits, {}, {.temperature = options.temperature, .top_k = 0, .top_p = 1.0}, warmed);
    Distribution now;
    distribution(logits, {}, options, now);

    DistributionSummary out;
    const std::size_t count = logits.size();
    out.ids = now.order;
    out.cumulative = now.cumulative;
    out.kept_top_k = now.kept_top_k;
    out.kept = now.kept;
    out.probabilities.reserve(count);
    for (const TokenId id : out.ids)
        out.probabilities.push_back(warmed.probabilities[static_cast<std::size_t>(id)]);

    const auto ranked = [&](std::size_t rank) {
        const TokenId id = out.ids[rank];
        const auto at = static_cast<std::size_t>(id);
        return RankedToken{.id = id,
                           .rank = rank,
                           .logit = logits[at],
                           .probability = before.probabilities[at],
                           .now = now.probabilities[at],
                           .kept = rank < out.kept,
                           .cumulative = out.cumulative[rank]};
    };
    out.crossing = ranked(out.kept - 1);
    for (std::size_t rank = 0; rank < std::min(entries, count); ++rank) out.top.push_back(ranked(rank));
    const std::size_t first = out.kept > kAroundCut ? out.kept - kAroundCut : 0;
    for (std::size_t rank = first; rank < std::min(count, out.kept + kAroundCut); ++rank) {
        out.around_cut.push_back(ranked(rank));
    }
    for (std::size_t rank = out.top.size(); rank < count; ++rank) {
        const auto at = static_cast<std::size_t>(out.ids[rank]);
        ++out.rest_count;
        out.rest_probability += double{before.probabilities[at]};
        out.rest_now += double{now.probabilities[at]};
    }
    out.entropy_before = entropy_bits(before.probabilities);
    out.entropy_now = entropy_bits(now.probabilities);
    out.choices_before = std::exp2(out.entropy_before);
    out.choices_now = std::exp2(out.entropy_now);
    return out;
}

}  // namespace mm
