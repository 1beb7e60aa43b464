// GPT-2's word pattern, written by hand because most byte-level tokenizers split by it. A test holds it equal
// to the regular expression.
#pragma once

#include <cstddef>
#include <string_view>

namespace mm {

/// The pattern of GPT-2 that ByteLevel splits by.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// End of the match of kGpt2Pattern at `begin` < size: the pattern by hand. It matches at every position.
std::size_t gpt2_match(std::string_view text, std::size_t begin);

}  // namespace mm
