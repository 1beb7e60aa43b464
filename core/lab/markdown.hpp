// The Markdown of report.md: table rows, and foreign text (a model's answer, a token) made safe to stand
// there.
//
// A model can produce anything: backticks, pipes, HTML, line breaks, characters that turn the direction of a
// line. Here it becomes one inline code span that always reads as data.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/base/join.hpp"

namespace mm {

/// A CommonMark code span with `text` in it, as printable() shows it, but line breaks as ⏎; more than
/// `longest` characters end in "…". An empty text gives "(빈 글)". Not for table cells: GFM reads a pipe as a
/// border there even inside code.
std::string code_span(std::string_view text, std::size_t longest = 120);

/// "| a | b |\n". Cells are taken as they are.
std::string table_row(std::initializer_list<Part> cells);

}  // namespace mm
