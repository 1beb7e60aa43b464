// Option values from text: strict (the whole text must be the value) and the same in every locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/token_id.hpp"

namespace mm {

/// A whole number in [low, high]. @param option names it in the error, e.g. "--top-k"
/// @throws Error{range}
std::int64_t parse_integer(const std::string& option, std::string_view text,
                           std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                           std::int64_t high = std::numeric_limits<std::int64_t>::max());

/// An index that was given by an option. @throws Error{range} unless it is in [0, count)
std::size_t index_below(const std::string& option, std::int64_t index, std::int64_t count);

/// A finite decimal number such as 0.85, 1e-6. @throws Error{range}
double parse_number(const std::string& option, std::string_view text);

/// torch.manual_seed's argument: −2^63 … 2^64 − 1, negative ones modulo 2^64. @throws Error{range}
std::uint64_t parse_seed(const std::string& option, std::string_view text);

/// "a,b,c" cut at the commas, white space around each part taken away. An empty text has no parts; an empty
/// part is an error. @throws Error{range}
std::vector<std::string> parse_list(const std::string& option, std::string_view text);

/// Token ids "1,2,3"; each 0 … 2^31 − 1. @throws Error{range}
std::vector<TokenId> parse_ids(const std::string& option, std::string_view text);

}  // namespace mm
