#include "core/lab/checks/python_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/utf8.hpp"

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

// Where a byte above ASCII may be followed by a second byte that looks like ASCII, a quote or a backslash
// among them.
constexpr std::array<std::string_view, 9> kTwoBytes{"949", "uhc",  "johab", "gbk", "gb18030",
                                                    "936", "big5", "950",   "jis"};

/// The program in ASCII: its lines end with \n, and each character that is not UTF-8 is a letter.
std::string plain_source(std::string_view text) {
    const std::string encoding = declared_encoding(text);
    const bool utf8 = find_invalid_utf8(text) == text.npos;
    const bool two_bytes = std::any_of(kTwoBytes.begin(), kTwoBytes.end(), [&](std::string_view name) {
        return encoding.find(name) != encoding.npos;
    });
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == '\r') {
            plain += '\n';
            if (at + 1 < text.size() && text[at + 1] == '\n') ++at;
        } else if (utf8 || byte < 0x80) {
            plain += text[at];
        } else {
            plain += 'x';
            const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
            const bool alone = encoding.find("jis") != encoding.npos && byte >= 0xA1 && byte <= 0xDF;
            if (two_bytes && !alone && next >= 0x40) ++at;
        }
    }
    return plain;
}

}  // namespace

std::string declared_encoding(std::string_view text) {
    for (int line = 0; line < 2; ++line) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        const std::string_view one = text.substr(0, end);
        const std::size_t first = one.find_first_not_of(" \t\f");
        if (first != one.npos && one[first] != '#') return "";
        for (std::size_t at = one.find("coding"); at != one.npos; at = one.find("coding", at + 1)) {
            std::size_t from = at + 6;
            if (from >= one.size() || (one[from] != ':' && one[from] != '=')) continue;
            from = std::min(one.find_first_not_of(" \t", from + 1), one.size());
            std::string name;
            for (const char c : one.substr(from)) {
                if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.')
                    break;
                name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            }
            if (!name.empty()) return name.starts_with("utf") ? "" : name;
        }
        text.remove_prefix(text.substr(end, 2) == "\r\n" ? end + 2 : std::min(end + 1, text.size()));
    }
    return "";
}

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

PythonText read_python(std::string_view source) {
    const std::string plain = plain_source(source);
    const std::string_view text = plain;
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
