#include "core/lab/markdown.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/join.hpp"
#include "core/base/printable.hpp"

namespace mm {
namespace {

std::string one_line(std::string_view text, std::size_t longest) {
    std::string shown = printable(text, longest, "\n");
    for (std::size_t at = 0; (at = shown.find('\n', at)) != shown.npos;) shown.replace(at, 1, "⏎");
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
