// The likeliest next tokens of a position, with their texts: what tables and bars show.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/text/tokenizer.hpp"

namespace mm {

struct Candidate {
    TokenId id = 0;
    std::string text;  // decoded alone; bytes that make no character show as U+FFFD
    float logit = 0;
    double probability = 0;  // at temperature 1, nothing cut
};

/// Text of one id alone.
std::string text_of(const Tokenizer& tokenizer, TokenId id);

/// @param logits  [V], one position
/// @returns the `count` likeliest, best first; ties: lower id first
/// @throws Error{range} for logits that hold NaN or +inf
std::vector<Candidate> likeliest(std::span<const float> logits, const Tokenizer& tokenizer,
                                 std::size_t count);

}  // namespace mm
