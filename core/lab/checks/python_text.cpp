#include "core/lab/checks/python_text.hpp"

#include <algorithm>
#include <cctype>

namespace mm::checks {
namespace {

// f"…", also rf"…" and fr"…".
bool format_prefix(std::string_view before) {
    std::size_t from = before.size();
    while (from > 0 && before.size() - from < 2 &&
           std::isalpha(static_cast<unsigned char>(before[from - 1])) != 0) {
        --from;
    }
    if (from > 0 && python_name_character(before[from - 1])) return false;
    return before.substr(from).find_first_of("fF") != before.npos;
}

}  // namespace

bool python_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

std::size_t skip_python_space(std::string_view code, std::size_t at) {
    return std::min(code.find_first_not_of(" \t\n\r\\", at), code.size());
}

std::size_t closing_bracket(std::string_view bare, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t at = open; at < bare.size(); ++at) {
        const char c = bare[at];
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && --depth == 0) return at;
    }
    return bare.size();
}

PythonText read_python(std::string_view text) {
    PythonText read;
    const auto add = [&read](std::string_view code, bool bare) {
        read.code += code;
        read.bare.append(bare ? code : std::string(code.size(), ' '));
    };
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (c != '"' && c != '\'') {
            add(text.substr(at++, 1), true);
            continue;
        }
        const bool format = format_prefix(read.code);
        const std::string_view triple = text.substr(at, 3);
        if (triple.size() == 3 && triple[1] == c && triple[2] == c) {
            const std::size_t end = std::min(text.find(triple, at + 3), text.size());
            if (format) read.formats.emplace_back(text.substr(at + 3, end - at - 3));
            at = std::min(end + 3, text.size());
            add(" ", true);
            continue;
        }
        std::size_t end = at + 1;
        while (end < text.size() && text[end] != c && text[end] != '\n') {
            end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
        }
        const std::string_view content = text.substr(at + 1, end - at - 1);
        (format ? read.formats : read.strings).emplace_back(content);
        add(text.substr(at, 1), true);
        add(content, false);
        at = std::min(end, text.size());
        if (at < text.size()) add(text.substr(at++, 1), true);
    }
    return read;
}

}  // namespace mm::checks
