#include "core/lab/candidates.hpp"

#include <algorithm>

#include "core/decode/distribution.hpp"

namespace mm {

std::string text_of(const Tokenizer& tokenizer, TokenId id) {
    return tokenizer.decode(std::span(&id, 1), false);
}

std::vector<Candidate> likeliest(std::span<const float> logits, const Tokenizer& tokenizer,
                                 std::size_t count) {
    Distribution whole;
    distribution(logits, {}, {.temperature = 1.0, .top_k = 0, .top_p = 1.0}, whole);
    std::vector<Candidate> best;
    for (std::size_t i = 0; i < std::min(count, whole.order.size()); ++i) {
        const TokenId id = whole.order[i];
        const auto at = static_cast<std::size_t>(id);
        best.push_back({.id = id,
                        .text = text_of(tokenizer, id),
                        .logit = logits[at],
                        .probability = whole.probabilities[at]});
    }
    return best;
}

}  // namespace mm
