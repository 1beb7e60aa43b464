#include "core/lab/markdown.hpp"

#include <gtest/gtest.h>

namespace mm {
namespace {

TEST(CodeSpan, LeavesPlainTextAlone) {
    EXPECT_EQ(code_span("감이 유명해요. <b>|굵게|</b> <|im_end|>"),
              "`감이 유명해요. <b>|굵게|</b> <|im_end|>`");
    EXPECT_EQ(code_span(" 앞 공백"), "` 앞 공백`");
    EXPECT_EQ(code_span(""), "(빈 글)");
}

TEST(CodeSpan, CannotBeClosedFromInside) {
    EXPECT_EQ(code_span("a`b"), "``a`b``");
    EXPECT_EQ(code_span("``"), "``` `` ```");
    EXPECT_EQ(code_span("`x"), "`` `x ``");
    EXPECT_EQ(code_span("a```b``c"), "````a```b``c````");
}

TEST(CodeSpan, KeepsSpacesThatMarkdownWouldStrip) {
    EXPECT_EQ(code_span(" x "), "`  x  `");
    EXPECT_EQ(code_span("  "), "`  `");  // only spaces: CommonMark strips nothing
}

TEST(CodeSpan, StaysOnOneLineAndShowsWhatIsInvisible) {
    EXPECT_EQ(code_span("a\n## 온도\r\n"), "`a⏎## 온도\\u{000D}⏎`");
    EXPECT_EQ(code_span(std::string("\0\x1B[31m", 6)), "`\\u{0000}\\u{001B}[31m`");
    EXPECT_EQ(code_span("\xE2\x80\xAE\xC2\x85\xE2\x80\x8B\xF3\xA0\x80\x81"),
              "`\\u{202E}\\u{0085}\\u{200B}\\u{E0001}`");
    EXPECT_EQ(code_span("\xEF\xBF\xBD"), "`\xEF\xBF\xBD`");
    EXPECT_EQ(code_span("\xEA\xB0\x41\xFF"), "`\\xea\\xb0A\\xff`");  // not UTF-8
}

TEST(CodeSpan, CutsByCharacters) {
    EXPECT_EQ(code_span("가나다라", 4), "`가나다라`");
    EXPECT_EQ(code_span("가나다라", 3), "`가나다…`");
    EXPECT_EQ(code_span("😀😀", 1), "`😀…`");
}

}  // namespace
}  // namespace mm
