// A place in the text of a pattern: what its characters are, before they mean anything.
//
// regex_parse.cpp stands on it. Knows hexadecimal and decimal numbers; refuses those that Oniguruma reads
// otherwise.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/text/huggingface/regex_syntax.hpp"

namespace mm::regex_syntax {

constexpr std::uint32_t kMaxRepeat = 100'000;  // Oniguruma's

[[noreturn]] inline void broken(std::string_view reason) {
    throw_error(ErrorKind::format, join({"regular expression: ", reason}));
}

class PatternCursor {
  protected:
    explicit PatternCursor(std::string_view pattern) : pattern_(pattern) {}

    bool done() const { return position_ == pattern_.size(); }
    bool peek(char c) const { return !done() && pattern_[position_] == c; }
    bool take(std::string_view text) {
        if (!pattern_.substr(position_).starts_with(text)) return false;
        position_ += text.size();
        return true;
    }
    char32_t next() {
        if (done()) broken("ends too early");
        return next_code_point(pattern_, position_);
    }

    /// `least` to `most` hexadecimal digits as a code point.
    char32_t hex(std::size_t least, std::size_t most) {
        std::size_t digits = 0;
        char32_t value = 0;
        while (digits < most && !done() &&
               std::isxdigit(static_cast<unsigned char>(pattern_[position_])) != 0) {
            const char c = pattern_[position_++];
            const char32_t digit =
                c <= '9' ? static_cast<char32_t>(c - '0') : static_cast<char32_t>((c | 0x20) - 'a' + 10);
            value = value * 16 + digit;
            ++digits;
        }
        if (digits < least) unsupported("\\x or \\u with fewer digits");
        // Above 7F, \xHH is a byte to Oniguruma, not a character.
        if (least == 2 && value > 0x7F) unsupported("\\x80 and above");
        if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) broken("a code point outside Unicode");
        return value;
    }

    /// Decimal digits, if there are any; what is over kMaxRepeat is kMaxRepeat + 1.
    std::optional<std::uint32_t> number() {
        std::optional<std::uint32_t> value;
        while (!done() && std::isdigit(static_cast<unsigned char>(pattern_[position_])) != 0) {
            value = std::min(value.value_or(0) * 10 + static_cast<std::uint32_t>(pattern_[position_++] - '0'),
                             kMaxRepeat + 1);
        }
        return value;
    }

    std::string_view pattern_;
    std::size_t position_ = 0;
};

}  // namespace mm::regex_syntax
