// A Python program as text, never run: its code apart from its comments and its strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mm::checks {

struct PythonText {
    std::string code;                  // comments and triple-quoted texts blanked
    std::string bare;                  // of the same length, other strings blanked too
    std::vector<std::string> strings;  // contents of the one-line strings
    std::vector<std::string> formats;  // contents of f-strings, which hold code, and of triple-quoted ones
};

/// @param text  UTF-8, or in the encoding that the program declares; lines end as Python takes them
PythonText read_python(std::string_view text);

/// The encoding other than UTF-8 that a program names in one of its first two lines, in lower case:
/// "# -*- coding: cp949 -*-"; empty when there is none.
std::string declared_encoding(std::string_view text);

bool python_name_character(char c);
std::size_t skip_python_space(std::string_view code, std::size_t at);
/// Where the bracket at `open` is closed, or the end. `bare` has no strings in it.
std::size_t closing_bracket(std::string_view bare, std::size_t open);

/// Calls `see` with the begin and the end of each name in `bare`.
template <typename See>
void each_name(std::string_view bare, See&& see) {
    for (std::size_t at = 0; at < bare.size();) {
        if (!python_name_character(bare[at])) {
            ++at;
            continue;
        }
        const std::size_t from = at;
        while (at < bare.size() && python_name_character(bare[at])) ++at;
        see(from, at);
    }
}

}  // namespace mm::checks
