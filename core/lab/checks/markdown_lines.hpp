// What each line of a Markdown text is by CommonMark's block rules: heading, paragraph, code or HTML.
//
// Only what decides which lines are headings: block quotes and list items, ATX and setext headings, fenced
// and indented code, HTML blocks, thematic breaks. A library would bring a whole document tree, and none of
// Debian's is there for WebAssembly, where the same checks run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mm::checks {

struct MarkdownLine {
    enum class Kind { heading, paragraph, code, html };

    Kind kind;
    int level = 0;     // of a heading, 1 to 6
    std::string text;  // without the marks around it; a setext heading's lines are joined by line breaks
};

/// Blank lines and thematic breaks are left out. Takes time linear in the bytes of `text`, which may be
/// anything.
std::vector<MarkdownLine> markdown_lines(std::string_view text);

}  // namespace mm::checks
