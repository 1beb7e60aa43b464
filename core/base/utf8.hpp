// UTF-8: checked once where text comes in, walked quickly after that, and mended where bytes of tokens become
// text again. Knows nothing of tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mm {

/// Where `text` stops being well-formed UTF-8 (Unicode 3.9, table 3-7); npos when all of it is.
std::size_t find_invalid_utf8(std::string_view text);

inline bool is_utf8(std::string_view text) {
    return find_invalid_utf8(text) == std::string_view::npos;
}

/// The code point that starts at `position`, which moves behind it. `text` must be well-formed and `position`
/// a boundary inside it.
inline char32_t next_code_point(std::string_view text, std::size_t& position) {
    const auto byte = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[position + i]));
    };
    const char32_t lead = byte(0);
    char32_t code_point = lead;
    std::size_t size = 1;
    if (lead >= 0xF0) {
        code_point = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
        size = 4;
    } else if (lead >= 0xE0) {
        code_point = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        size = 3;
    } else if (lead >= 0x80) {
        code_point = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
        size = 2;
    }
    position += size;
    return code_point;
}

/// The code point that ends at `position` > 0, which moves before it. Same conditions.
inline char32_t previous_code_point(std::string_view text, std::size_t& position) {
    do {
        --position;
    } while ((static_cast<unsigned char>(text[position]) & 0xC0) == 0x80);
    std::size_t at = position;
    return next_code_point(text, at);
}

/// Appends a scalar value as UTF-8.
void append_utf8(std::string& out, char32_t code_point);

/// Bytes that arrive in pieces, as text. What is certain comes out at once; the bytes of a character that may
/// still be completed are held; bytes that nothing can mend become one U+FFFD for each maximal subpart of a
/// well-formed sequence (Unicode 3.9; Rust's String::from_utf8_lossy, WHATWG's decoder).
class Utf8Mender {
  public:
    std::string push(std::string_view bytes);
    /// One U+FFFD if bytes are held, else nothing; afterwards the mender is as new.
    std::string flush();

  private:
    std::string held_;  // at most three bytes: a prefix of a well-formed sequence
};

}  // namespace mm
