#include "core/base/printable.hpp"

#include <gtest/gtest.h>

#include "core/base/utf8.hpp"

namespace mm {
namespace {

TEST(Printable, TextStaysAsItIs) {
    for (const char* text : {"", "model.layers.0.q_proj", "가람 마을", "日本 😀", "a\\b \"c\"", "👨\u200D👩"}) {
        EXPECT_EQ(printable(text), text);
    }
}

TEST(Printable, WhatATerminalObeysIsEscaped) {
    const std::pair<std::string, std::string> cases[] = {
        {std::string("a\0b", 3), "a\\u{0000}b"},
        {"\x1b[2J\r\n\t", "\\u{001B}[2J\\u{000D}\\u{000A}\\u{0009}"},
        {"\x7F", "\\u{007F}"},
        {"\u0080\u009B31m\u009F", "\\u{0080}\\u{009B}31m\\u{009F}"},  // C1: CSI in one character
        {"\u200E\u200F", "\\u{200E}\\u{200F}"},
        {"\u202A\u202E", "\\u{202A}\\u{202E}"},
        {"\u2066\u2069\u061C", "\\u{2066}\\u{2069}\\u{061C}"},
        {"\u2028\u2029", "\\u{2028}\\u{2029}"},
        {"\uFEFF\u00AD\u200B", "\\u{FEFF}\\u{00AD}\\u{200B}"},
        {"\U000E0041", "\\u{E0041}"},
    };
    for (const auto& [text, shown] : cases) EXPECT_EQ(printable(text), shown);
}

TEST(Printable, BytesThatAreNotUtf8AreEscapedOneByOne) {
    EXPECT_EQ(printable("\xB1\xE8\xB9\xCE\xBC\xF6"),
              "\\xb1\\xe8\\xb9μ\\xf6");  // CP949, two bytes of which are a letter
    EXPECT_EQ(printable("a\x9B"
                        "b가\xEA\xB0"),
              "a\\x9bb가\\xea\\xb0");
    EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");
}

TEST(Printable, EveryCodePointGivesVisibleTextOfOneLine) {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        std::string text;
        append_utf8(text, c);
        const std::string shown = printable(text);
        ASSERT_TRUE(is_utf8(shown));
        ASSERT_EQ(printable(shown), shown) << "shown text is not escaped again";
        const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
                             (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x2028 ||
                             c == 0x2029;
        ASSERT_TRUE(!control || shown.find(text) == std::string::npos) << static_cast<unsigned>(c);
    }
}

TEST(Printable, LongTextIsCutBetweenCharacters) {
    EXPECT_EQ(printable("가나다라", 4), "가나다라");
    EXPECT_EQ(printable("가나다라마", 4), "가나다라…");
    EXPECT_EQ(printable("ab\xFF\xFF", 3), "ab\\xff…");
}

TEST(Printable, WhatIsKeptStays) {
    EXPECT_EQ(printable("a\n\tb\x1b", std::string::npos, "\n\t"), "a\n\tb\\u{001B}");
}

TEST(EscapeInvalidUtf8, OnlyBrokenBytesChange) {
    EXPECT_EQ(escape_invalid_utf8("가\n\x1b"), "가\n\x1b");
    EXPECT_EQ(escape_invalid_utf8("\xB1\xE8/infer"), "\\xb1\\xe8/infer");
}

}  // namespace
}  // namespace mm
