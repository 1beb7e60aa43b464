#include "core/lab/checks/markdown_inline.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "core/base/utf8.hpp"

namespace mm::checks {
namespace {

bool punctuation(char c) {
    return std::ispunct(static_cast<unsigned char>(c)) != 0;
}

constexpr std::array<std::pair<std::string_view, char32_t>, 6> kNamed{
    {{"amp", U'&'}, {"lt", U'<'}, {"gt", U'>'}, {"quot", U'"'}, {"apos", U'\''}, {"nbsp", 0xA0}}};

/// "&#xC628;" at the beginning of `text`: its length, 0 where there is none, and the character in `shown`.
std::size_t character_reference(std::string_view text, std::string& shown) {
    const std::size_t end = text.substr(0, 12).find(';');
    if (end == text.npos || end < 2) return 0;
    std::string_view name = text.substr(1, end - 1);
    for (const auto& [known, c] : kNamed) {
        if (name == known) append_utf8(shown, c);
        if (name == known) return end + 1;
    }
    if (name[0] != '#') return 0;
    name.remove_prefix(1);
    const bool hexadecimal = name.starts_with('x') || name.starts_with('X');
    if (hexadecimal) name.remove_prefix(1);
    if (name.empty() || name.size() > (hexadecimal ? 6U : 7U)) return 0;
    std::uint32_t value = 0;
    for (const char c : name) {
        const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const bool digit = c >= '0' && c <= '9';
        if (!digit && !(hexadecimal && letter >= 'a' && letter <= 'f')) return 0;
        value =
            value * (hexadecimal ? 16 : 10) + static_cast<std::uint32_t>(digit ? c - '0' : letter - 'a' + 10);
    }
    const bool character = value > 0 && value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
    append_utf8(shown, character ? static_cast<char32_t>(value) : U'\uFFFD');
    return end + 1;
}

/// The end of an HTML tag or comment at the beginning of `text`; 0 where there is none.
std::size_t html(std::string_view text) {
    if (text.starts_with("<!--")) {
        const std::size_t end = text.find("-->", 4);
        return end == text.npos ? 0 : end + 3;
    }
    const std::size_t name = text.starts_with("</") ? 2 : 1;
    if (text.size() <= name || std::isalpha(static_cast<unsigned char>(text[name])) == 0) return 0;
    const std::size_t end = text.find('>', name);
    return end == text.npos ? 0 : end + 1;
}

/// What follows "]" as a link's address: "(…)" or "[…]"; its end, 0 where there is none.
std::size_t address(std::string_view text) {
    if (text.empty() || (text[0] != '(' && text[0] != '[')) return 0;
    const std::size_t end = text.find(text[0] == '(' ? ')' : ']');
    return end == text.npos ? 0 : end + 1;
}

std::size_t run_of(std::string_view text, char c) {
    return std::min(text.find_first_not_of(c), text.size());
}

/// The next run of just `length` marks, not escaped.
std::size_t closing_run(std::string_view text, char mark, std::size_t length, bool escapes) {
    for (std::size_t at = 0; at < text.size();) {
        if (escapes && text[at] == '\\') {
            at += 2;
        } else if (text[at] != mark) {
            ++at;
        } else {
            const std::size_t run = run_of(text.substr(at), mark);
            if (run == length) return at;
            at += run;
        }
    }
    return text.npos;
}

}  // namespace

std::string shown_text(std::string_view line) {
    std::string shown;
    while (!line.empty()) {
        const char c = line[0];
        std::size_t taken = 0;
        if (c == '\\' && line.size() > 1 && punctuation(line[1])) {
            shown += line[1];
            taken = 2;
        } else if (c == '&') {
            taken = character_reference(line, shown);
        } else if (c == '<') {
            taken = html(line);
        } else if (c == '`' || c == '*' || c == '_') {
            const std::size_t run = run_of(line, c);
            const std::string_view rest = line.substr(run);
            const std::size_t end = closing_run(rest, c, run, c != '`');
            if (end != rest.npos && end > 0) {
                std::string_view inside = rest.substr(0, end);
                const bool padded = inside.size() > 2 && inside.front() == ' ' && inside.back() == ' ';
                if (c == '`' && padded) inside = inside.substr(1, inside.size() - 2);
                shown += c == '`' ? std::string(inside) : shown_text(inside);
                taken = run + end + run;
            } else {
                shown += line.substr(0, run);
                taken = run;
            }
        } else if (c == '[') {
            const std::size_t close = line.find(']');
            const std::size_t end = close == line.npos ? 0 : address(line.substr(close + 1));
            if (end > 0) {
                shown += shown_text(line.substr(1, close - 1));
                taken = close + 1 + end;
            }
        }
        if (taken == 0) {
            shown += c;
            taken = 1;
        }
        line.remove_prefix(taken);
    }
    const std::size_t last = shown.find_last_not_of(" \t");  // what a tag at the end leaves
    shown.resize(last == shown.npos ? 0 : last + 1);
    return shown;
}

}  // namespace mm::checks
