// Texts that other programs wrote: what Windows' editors put in front, what Python writes where JSON has
// nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace mm {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// With its mark, or with a zero byte in the first character, as no text in UTF-8 begins.
bool looks_like_utf16(std::string_view text);

/// Whether a JSON parser that stopped at `position` (bytes, counted from 1) met NaN, Infinity or -Infinity,
/// which Python writes.
bool stopped_at_no_number(std::string_view text, std::size_t position);

}  // namespace mm
