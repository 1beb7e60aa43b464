#include "core/base/printable.hpp"

#include <algorithm>
#include <cstdint>

#include "core/base/utf8.hpp"

namespace mm {
namespace {

struct Range {
    char32_t first, last;
};

constexpr Range kUnseen[] = {
    {0x00, 0x1F},        // C0
    {0x7F, 0x9F},        // DEL, C1
    {0xAD, 0xAD},        // soft hyphen
    {0x61C, 0x61C},      // Arabic letter mark
    {0x180E, 0x180E},    // Mongolian vowel separator
    {0x200B, 0x200B},    // zero width space
    {0x200E, 0x200F},    // left-to-right, right-to-left mark
    {0x2028, 0x202E},    // line, paragraph separator; bidirectional embeddings and overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, bidirectional isolates
    {0x3164, 0x3164},    // Hangul filler
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0xE0000, 0xE0FFF},  // tags
};

bool unseen(char32_t c) {
    return std::any_of(std::begin(kUnseen), std::end(kUnseen),
                       [c](const Range& range) { return range.first <= c && c <= range.last; });
}

void append_hex(std::string& out, std::uint32_t value, int digits, const char* letters) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += letters[value >> shift & 15];
}

void append_byte(std::string& out, char byte) {
    out += "\\x";
    append_hex(out, static_cast<unsigned char>(byte), 2, "0123456789abcdef");
}

void append_code_point(std::string& out, char32_t c) {
    out += "\\u{";
    append_hex(out, c, c > 0xFFFF ? 5 : 4, "0123456789ABCDEF");
    out += '}';
}

// Calls `valid` for stretches that are UTF-8 and `broken` for each byte between them; a false ends the walk.
template <typename Valid, typename Broken>
void walk(std::string_view text, Valid valid, Broken broken) {
    while (!text.empty()) {
        const std::size_t size = std::min(find_invalid_utf8(text), text.size());
        if (!valid(text.substr(0, size))) return;
        text.remove_prefix(size);
        if (text.empty()) return;
        if (!broken(text.front())) return;
        text.remove_prefix(1);
    }
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest, std::string_view kept) {
    std::string out;
    std::size_t count = 0;
    const auto room = [&] {
        if (count++ < longest) return true;
        out += "…";
        return false;
    };
    walk(
        text,
        [&](std::string_view valid) {
            for (std::size_t at = 0; at < valid.size();) {
                if (!room()) return false;
                const std::size_t from = at;
                const char32_t c = next_code_point(valid, at);
                const bool stays = c < 0x80 && kept.find(static_cast<char>(c)) != kept.npos;
                if (unseen(c) && !stays) {
                    append_code_point(out, c);
                } else {
                    out += valid.substr(from, at - from);
                }
            }
            return true;
        },
        [&](char byte) {
            if (!room()) return false;
            append_byte(out, byte);
            return true;
        });
    return out;
}

std::string escape_invalid_utf8(std::string_view text) {
    std::string out;
    walk(
        text,
        [&out](std::string_view valid) {
            out += valid;
            return true;
        },
        [&out](char byte) {
            append_byte(out, byte);
            return true;
        });
    return out;
}

}  // namespace mm
