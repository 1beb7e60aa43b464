// What people see: progress lines and tables at any width.
#include <gtest/gtest.h>

#include "native/terminal/console.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        widest = std::max(widest, display_width(std::string_view(text).substr(begin, end - begin)));
        begin = end + 1;
    }
    return widest;
}

TEST(Progress, FitsAnyWidth) {
    for (int columns = 1; columns <= 200; ++columns) {
        for (const double fraction : {-1.0, 0.0, 0.3, 1.0, 7.0}) {
            const std::string line = progress_line("kvbytes", fraction, columns, false);
            EXPECT_LT(display_width(line), static_cast<std::size_t>(std::max(columns, 2))) << columns;
            EXPECT_EQ(line.find('\x1b'), std::string::npos) << "no colour was asked for";
        }
    }
    EXPECT_EQ(progress_line("time", 0.5, 20, false), "time  50 %");
    EXPECT_EQ(progress_line("time", 0.5, 26, false), "time     ━━━━━─────  50 %");
    EXPECT_NE(progress_line("time", 0.5, 80, true).find("\x1b[36m"), std::string::npos);
}

TEST(Text, Numbers) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(14880), "14,880");
    EXPECT_EQ(grouped(~std::uint64_t{0}), "18,446,744,073,709,551,615");
    EXPECT_EQ(duration_text(0.0000123), "12 µs");
    EXPECT_EQ(duration_text(0.0123), "12.3 ms");
    EXPECT_EQ(duration_text(1.5), "1.5 s");
    EXPECT_EQ(duration_text(125.4), "2 min 5 s");
}

TEST(Text, WidthOfKoreanAndMarks) {
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("가람"), 4U);
    EXPECT_EQ(display_width("e\xCC\x81"), 1U);
    EXPECT_EQ(display_width("×→━"), 3U);
}

TEST(Rows, WrapAndStack) {
    Rows rows;
    rows.add("a", "one two three four five six seven eight nine ten");
    rows.add("label", "가람 마을의 특산물은 무엇인가요 하고 물었습니다");
    rows.add("path", std::string(100, 'x'));
    for (const int columns : {80, 40, 33, 20, 10}) {
        EXPECT_LE(widest_line(rows.text(columns)), static_cast<std::size_t>(columns)) << columns;
    }
    Rows two;
    two.add("layers", "4");
    two.add("x", "5");
    EXPECT_EQ(two.text(80), "  layers  4\n  x       5\n");
    EXPECT_EQ(two.text(20), "layers\n  4\nx\n  5\n");
}

}  // namespace
}  // namespace mm
