#include "core/lab/markdown.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "core/base/join.hpp"

namespace mm {
namespace {

struct Character {
    char32_t code = 0;
    std::size_t size = 0;  // bytes
};

// Texts come from the tokenizer's decoder and are well-formed UTF-8; a byte that is not is taken alone as
// U+FFFD.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (size == 0 || size > text.size()) return {0xFFFD, 1};
    char32_t code = size == 1 ? lead : lead & (0x7Fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0u) != 0x80u) return {0xFFFD, 1};
        code = (code << 6) | (byte(i) & 0x3Fu);
    }
    return {code, size};
}

// Controls, and format characters that have no shape or change the order of what follows.
bool invisible(char32_t c) {
    struct Range {
        char32_t first, last;
    };
    constexpr std::array<Range, 12> kRanges{{{0x00, 0x1F},
                                             {0x7F, 0x9F},
                                             {0xAD, 0xAD},
                                             {0x61C, 0x61C},
                                             {0x180E, 0x180E},
                                             {0x200B, 0x200F},
                                             {0x2028, 0x202E},
                                             {0x2060, 0x206F},
                                             {0x3164, 0x3164},
                                             {0xFEFF, 0xFEFF},
                                             {0xFFF9, 0xFFFB},
                                             {0xE0000, 0xE0FFF}}};
    return std::any_of(kRanges.begin(), kRanges.end(),
                       [c](const Range& range) { return range.first <= c && c <= range.last; });
}

std::string one_line(std::string_view text, std::size_t longest) {
    std::string shown;
    for (std::size_t count = 0; !text.empty(); ++count) {
        if (count == longest) return join({shown, "…"});
        const Character character = first_character(text);
        if (character.code == U'\n') {
            shown += "⏎";
        } else if (invisible(character.code)) {
            std::array<char, 16> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u{%04X}", static_cast<unsigned>(character.code));
            shown += escape.data();
        } else if (character.code == 0xFFFD) {
            shown += "\xEF\xBF\xBD";
        } else {
            shown += text.substr(0, character.size);
        }
        text.remove_prefix(character.size);
    }
    return shown;
}

}  // namespace

std::string code_span(std::string_view text, std::size_t longest) {
    if (text.empty()) return "(빈 글)";
    const std::string shown = one_line(text, longest);
    // The fence is longer than any run of backticks inside, so nothing in the text can close it.
    std::size_t fence = 1;
    for (std::size_t i = 0, run = 0; i < shown.size(); ++i) {
        run = shown[i] == '`' ? run + 1 : 0;
        fence = std::max(fence, run + 1);
    }
    // CommonMark strips one space from both sides when both have one; a backtick must not touch the fence.
    const bool spaces =
        shown.front() == ' ' && shown.back() == ' ' && shown.find_first_not_of(' ') != std::string::npos;
    const bool pad = spaces || shown.front() == '`' || shown.back() == '`';
    const std::string ticks(fence, '`');
    const std::string space = pad ? " " : "";
    return ticks + space + shown + space + ticks;
}

std::string table_row(std::initializer_list<Part> cells) {
    std::string row = "|";
    for (const Part& cell : cells) {
        row += ' ';
        cell.append_to(row);
        row += " |";
    }
    return row += '\n';
}

}  // namespace mm
