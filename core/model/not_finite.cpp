#include "core/model/not_finite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/join.hpp"
#include "core/model/tensor_names.hpp"

namespace mm {

bool all_finite(std::span<const float> values) {
    unsigned wrong = 0;  // no early end: a loop without one is a vector loop
    for (const float value : values) {
        wrong |= static_cast<unsigned>(!(std::fabs(value) <= std::numeric_limits<float>::max()));
    }
    return wrong == 0;
}

void FirstNotFinite::hidden(std::int64_t layer, std::span<const float> states, std::size_t) {
    // A long input comes in several runs, each through all layers.
    if (!all_finite(states)) first_ = std::min(first_.value_or(layer), layer);
}

void FirstNotFinite::fail(const std::string& file, const ModelConfig& config) const {
    constexpr std::string_view kWhy = "gives NaN or infinite values for these ids: float32 overflows";
    std::string where(config.tie_word_embeddings ? names::kEmbedTokens : names::kLmHead);
    if (first_ == config.num_hidden_layers) where = names::kFinalNorm;
    if (first_ && *first_ >= 0 && *first_ < config.num_hidden_layers) {
        throw_error(ErrorKind::format, kWhy, {.file = file, .field = join({"layer ", *first_})});
    }
    throw_error(ErrorKind::format, kWhy, {.file = file, .tensor = where});
}

}  // namespace mm
