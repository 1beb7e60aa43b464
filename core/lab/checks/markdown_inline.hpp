// What a reader sees of one line of Markdown, without its marks.
#pragma once

#include <string>
#include <string_view>

namespace mm::checks {

/// A heading's text as it is shown: without emphasis, code ticks, links' addresses, HTML tags and comments;
/// escapes and character references as the characters they stand for. Of the named references those that
/// editors write (amp, lt, gt, quot, apos, nbsp) are known.
/// Source: CommonMark 0.31, section 6, as far as the text of a heading needs it. Marks that are never closed
/// stay.
std::string shown_text(std::string_view line);

}  // namespace mm::checks
