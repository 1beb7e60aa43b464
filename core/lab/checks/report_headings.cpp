#include "core/lab/checks/report_headings.hpp"

#include <array>
#include <cstdio>

#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/lab/checks/markdown_inline.hpp"
#include "core/lab/checks/markdown_lines.hpp"
#include "core/text/huggingface/normalization.hpp"
#include "core/text/unicode.hpp"

namespace mm::checks {
namespace {

using Kind = MarkdownLine::Kind;
using Found = HeadingTrace::Found;

constexpr std::array<std::string_view, 3> kHeadings{"## KV 캐시", "## 온도", "## top-p"};

constexpr bool within(char32_t c, char32_t first, char32_t last) {
    return first <= c && c <= last;
}

bool without_shape(char32_t c) {
    return unicode::in(c, 1u << unicode::Cf | 1u << unicode::Cc) || within(c, 0xFE00, 0xFE0F) ||
           within(c, 0x115F, 0x1160) || c == 0x34F || c == 0x3164;
}

bool dash(char32_t c) {
    return within(c, 0x2010, 0x2015) || c == 0x2212;
}

// Full-width letters, dashes and spaces of any kind as ASCII has them, what has no shape left out, spaces
// single.
std::string as_it_looks(std::string_view line) {
    const std::string text = normalize(line, NormalForm::nfkc);
    std::string looks;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_code_point(text, at);
        if (unicode::is_space(c)) {
            if (!looks.empty() && looks.back() != ' ') looks += ' ';
        } else if (!without_shape(c)) {
            append_utf8(looks, dash(c) ? U'-' : c);
        }
    }
    while (looks.ends_with(' ')) looks.pop_back();
    return looks;
}

// "U+00A0, U+200B": all but ASCII and Hangul syllables.
std::string odd_characters(std::string_view line) {
    const std::string text = normalize(line, NormalForm::nfc);
    std::string list;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_code_point(text, at);
        if (within(c, 0x20, 0x7E) || within(c, 0xAC00, 0xD7A3)) continue;
        char name[16];
        std::snprintf(name, sizeof(name), "U+%04X", static_cast<unsigned>(c));
        if (list.find(name) == list.npos) list += join({list.empty() ? "" : ", ", name});
    }
    return list.empty() ? "U+0020 U+0020" : list;
}

std::string as_written(const MarkdownLine& line) {
    if (line.kind != Kind::heading) return line.text;
    constexpr std::size_t kLongest = 1000;  // bytes; no heading that is looked for comes near
    const std::string shown = line.text.size() > kLongest ? line.text : shown_text(line.text);
    return join({std::string(static_cast<std::size_t>(line.level), '#'), " ", shown});
}

// The line that a reader would take for the heading, if there is one.
HeadingTrace other_trace(std::string_view heading, const std::vector<MarkdownLine>& lines) {
    constexpr std::size_t kLongest = 100;  // bytes of a line that may look like a heading
    for (const MarkdownLine& line : lines) {
        if (line.text.size() > kLongest) continue;
        const std::string written = as_written(line);
        if (as_it_looks(written) != heading) continue;
        if (line.kind == Kind::code || line.kind == Kind::html) return {heading, Found::in_code};
        return {heading, Found::look_alike, odd_characters(written)};
    }
    return {heading};
}

}  // namespace

std::vector<HeadingTrace> trace_report_headings(std::string_view text) {
    const std::vector<MarkdownLine> lines = markdown_lines(text);
    std::vector<HeadingTrace> traces;
    for (const std::string_view heading : kHeadings) {
        bool composed = false;
        bool decomposed = false;
        for (const MarkdownLine& line : lines) {
            if (line.kind != Kind::heading || line.level != 2) continue;
            const std::string written = as_written(line);
            composed = composed || written == heading;
            decomposed = decomposed || normalize(written, NormalForm::nfc) == heading;
        }
        traces.push_back(composed     ? HeadingTrace{heading, Found::as_text}
                         : decomposed ? HeadingTrace{heading, Found::decomposed}
                                      : other_trace(heading, lines));
    }
    return traces;
}

}  // namespace mm::checks
