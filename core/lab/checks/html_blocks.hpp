// CommonMark's seven kinds of HTML blocks: where one begins and where it ends.
#pragma once

#include <string_view>

namespace mm::checks {

enum class HtmlBlock {
    none,
    raw_text,  // <script>, <pre>, <style>, <textarea>
    comment,
    instruction,
    declaration,
    cdata,
    block_tag,  // <div>, <table>, …
    any_tag,    // a whole tag alone on its line
};

/// Which block `line` (without its indent, not empty) begins.
/// @param any_tag whether a tag of another name may begin one: not within a paragraph
HtmlBlock opening_html(std::string_view line, bool any_tag);
/// Whether the block goes on until a blank line.
bool html_ends_at_blank(HtmlBlock block);
/// Whether `line`, which may be the first, ends the block.
bool html_ends(HtmlBlock block, std::string_view line);

}  // namespace mm::checks
