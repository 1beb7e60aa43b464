#include "core/lab/checks/html_blocks.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace mm::checks {
namespace {

constexpr std::array<std::string_view, 4> kRawTags{"pre", "script", "style", "textarea"};
constexpr std::array<std::string_view, 62> kBlockTags{
    "address",  "article", "aside",    "base",   "basefont", "blockquote", "body",  "caption",
    "center",   "col",     "colgroup", "dd",     "details",  "dialog",     "dir",   "div",
    "dl",       "dt",      "fieldset", "figure", "footer",   "form",       "frame", "frameset",
    "h1",       "h2",      "h3",       "h4",     "h5",       "h6",         "head",  "header",
    "hr",       "html",    "iframe",   "legend", "li",       "link",       "main",  "menu",
    "menuitem", "nav",     "noframes", "ol",     "optgroup", "option",     "p",     "param",
    "section",  "source",  "summary",  "table",  "tbody",    "td",         "tfoot", "th",
    "thead",    "title",   "tr",       "track",  "ul",       "figcaption"};

bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool space(char c) {
    return c == ' ' || c == '\t';
}

std::string lower(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lowered;
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view tag_name(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && (letter(text[end]) || (end > 0 && (digit(text[end]) || text[end] == '-'))))
        ++end;
    return text.substr(0, end);
}

// Takes off the front of `text` what it matches.
void skip_space(std::string_view& text) {
    while (!text.empty() && space(text.front())) text.remove_prefix(1);
}

// name, name=value, name="value"
bool skip_attribute(std::string_view& text) {
    const auto name = [](char c) {
        return letter(c) || digit(c) || c == '_' || c == ':' || c == '.' || c == '-';
    };
    if (text.empty() || !(letter(text.front()) || text.front() == '_' || text.front() == ':')) return false;
    while (!text.empty() && name(text.front())) text.remove_prefix(1);
    std::string_view value = text;
    skip_space(value);
    if (value.empty() || value.front() != '=') return true;
    value.remove_prefix(1);
    skip_space(value);
    if (value.empty()) return false;
    if (value.front() == '"' || value.front() == '\'') {
        const std::size_t end = value.find(value.front(), 1);
        if (end == value.npos) return false;
        value.remove_prefix(end + 1);
    } else {
        const std::size_t end = std::min(value.find_first_of(" \t\"'=<>`"), value.size());
        if (end == 0) return false;
        value.remove_prefix(end);
    }
    text = value;
    return true;
}

// An open or closing tag with nothing but spaces behind it.
bool tag_alone(std::string_view text) {
    text.remove_prefix(1);
    const bool closing = text.starts_with('/');
    if (closing) text.remove_prefix(1);
    const std::string_view name = tag_name(text);
    if (name.empty()) return false;
    text.remove_prefix(name.size());
    while (!closing && !text.empty() && space(text.front())) {
        skip_space(text);
        if (!skip_attribute(text)) break;
    }
    skip_space(text);
    if (!closing && text.starts_with('/')) text.remove_prefix(1);
    if (!text.starts_with('>')) return false;
    return text.find_first_not_of(" \t", 1) == text.npos;
}

}  // namespace

HtmlBlock opening_html(std::string_view line, bool any_tag) {
    if (line.size() < 2 || line.front() != '<') return HtmlBlock::none;
    if (line.starts_with("<!--")) return HtmlBlock::comment;
    if (line.starts_with("<?")) return HtmlBlock::instruction;
    if (line.starts_with("<![CDATA[")) return HtmlBlock::cdata;
    if (line[1] == '!') return line.size() > 2 && letter(line[2]) ? HtmlBlock::declaration : HtmlBlock::none;
    const bool closing = line[1] == '/';
    const std::string_view written = tag_name(line.substr(closing ? 2 : 1));
    const std::string name = lower(written);
    const std::string_view after = line.substr((closing ? 2 : 1) + written.size());
    const bool ends = after.empty() || space(after.front()) || after.front() == '>';
    if (!closing && ends && among(kRawTags, name)) return HtmlBlock::raw_text;
    if ((ends || after.starts_with("/>")) && among(kBlockTags, name)) return HtmlBlock::block_tag;
    return any_tag && tag_alone(line) ? HtmlBlock::any_tag : HtmlBlock::none;
}

bool html_ends_at_blank(HtmlBlock block) {
    return block == HtmlBlock::block_tag || block == HtmlBlock::any_tag;
}

bool html_ends(HtmlBlock block, std::string_view line) {
    switch (block) {
        case HtmlBlock::raw_text: {
            const std::string text = lower(line);
            return std::any_of(kRawTags.begin(), kRawTags.end(), [&](std::string_view name) {
                return text.find("</" + std::string(name) + ">") != text.npos;
            });
        }
        case HtmlBlock::comment:
            return line.find("-->") != line.npos;
        case HtmlBlock::instruction:
            return line.find("?>") != line.npos;
        case HtmlBlock::declaration:
            return line.find('>') != line.npos;
        case HtmlBlock::cdata:
            return line.find("]]>") != line.npos;
        case HtmlBlock::block_tag:
        case HtmlBlock::any_tag:
        case HtmlBlock::none:
            return false;
    }
    return false;
}

}  // namespace mm::checks
