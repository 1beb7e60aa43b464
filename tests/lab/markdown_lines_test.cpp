// Which lines are headings: CommonMark's own examples (spec 0.30 and 0.31), and what students' editors make.
//
// tests/golden/commonmark/headings.json: the examples of the sections on blocks with the headings they have,
// "level text", the text before its inline marks are read.
#include "core/lab/checks/markdown_lines.hpp"

#include <gtest/gtest.h>

#include "core/lab/checks/markdown_inline.hpp"
#include "golden_lab.hpp"

namespace mm::checks {
namespace {

std::vector<std::string> headings(std::string_view text) {
    std::vector<std::string> found;
    for (const MarkdownLine& line : markdown_lines(text)) {
        if (line.kind == MarkdownLine::Kind::heading) {
            found.push_back(std::to_string(line.level) + " " + line.text);
        }
    }
    return found;
}

TEST(MarkdownLines, PublishedExamples) {
    const Json examples = Json::parse(test::read_text(std::filesystem::path(MM_SOURCE_DIR) / "tests" /
                                                      "golden" / "commonmark" / "headings.json"));
    ASSERT_EQ(examples.size(), 265U);
    for (const Json& example : examples) {
        EXPECT_EQ(headings(example["markdown"].get<std::string>()),
                  example["headings"].get<std::vector<std::string>>())
            << example["section"] << "\n"
            << example["markdown"].get<std::string>();
    }
}

// What markdown-it-py 4.3 (CommonMark) shows of these headings.
TEST(ShownText, IsTheTextWithoutItsMarks) {
    for (const std::string_view line :
         {"온도", "**온도**", "*온도*", "__온도__", "***온도***", "`온도`", "`` 온도 ``", "[온도](#x)",
          "[**온도**](#x)", "온도 <!-- c -->", "<a id=\"x\"></a>온도", "<span>온도</span>", "온도<br>",
          "&#xC628;&#46020;", "**온**도"}) {
        EXPECT_EQ(shown_text(line), "온도") << line;
    }
    EXPECT_EQ(shown_text("top\\-p"), "top-p");
    EXPECT_EQ(shown_text("KV&nbsp;캐시"), "KV\u00A0캐시");
    EXPECT_EQ(shown_text("\\*a\\* &lt;b&gt; `*c*`"), "*a* <b> *c*");
    for (const std::string_view line :
         {"*온도", "온도`", "a < b", "&bogus;", "[온도]", "a & b", "온도\\", "&#x;"}) {
        EXPECT_EQ(shown_text(line), line) << "nothing is closed";
    }
    EXPECT_EQ(shown_text("&#0;&#x110000;&#xD800;"), "\uFFFD\uFFFD\uFFFD");
}

TEST(MarkdownLines, EveryLineEndAndKind) {
    EXPECT_EQ(headings("# a\r## b\r\n### c"), (std::vector<std::string>{"1 a", "2 b", "3 c"}));
    const std::vector<MarkdownLine> lines = markdown_lines("a\n\n    b\n\n<!-- c\nd -->\n~~~\ne\n");
    std::string kinds;
    for (const MarkdownLine& line : lines)
        kinds += "hpcx"[static_cast<std::size_t>(line.kind)] + line.text + "|";
    EXPECT_EQ(kinds, "pa|cb|x<!-- c|xd -->|ce|");
}

// Time grows with the bytes: a megabyte of nothing but marks is read at once.
TEST(MarkdownLines, HostileTexts) {
    constexpr std::size_t kSize = std::size_t{1} << 20;
    for (const char* mark :
         {">", "- ", "+ * ", "* ", "<", "`", "#", "=", "<a b", "\t", "1. ", "[a]: b\n", "\r"}) {
        std::string text;
        while (text.size() < kSize) text += mark;
        EXPECT_LE(markdown_lines(text).size(), kSize) << mark;
        std::string blank_lines = text.substr(0, 2000) + "a\n";
        blank_lines.resize(kSize, '\n');
        EXPECT_LE(markdown_lines(blank_lines).size(), kSize) << mark;
    }
}

}  // namespace
}  // namespace mm::checks
