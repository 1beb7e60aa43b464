// UTF-8 mending against the table of maximal subparts (Unicode 3.9) and against the definition, byte by byte.
#include <gtest/gtest.h>

#include <random>

#include "core/base/utf8.hpp"

namespace mm {
namespace {

const std::string kFffd = "\xEF\xBF\xBD";

std::string times(int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += kFffd;
    return out;
}

std::string mend(std::string_view bytes) {
    Utf8Mender mender;
    std::string out = mender.push(bytes);
    return out + mender.flush();
}

TEST(Utf8, MaximalSubparts) {
    const std::pair<std::string, std::string> cases[] = {{"\xEA", times(1)},
                                                         {"\xEA\xB0", times(1)},
                                                         {"\xB0\x80", times(2)},
                                                         {"\xEA\xB0\xEA\xB0", times(2)},
                                                         {"\xEA\xEA\xEA", times(3)},
                                                         {"\xF0\x9F\x98", times(1)},
                                                         {"\x9F\x98\x80", times(3)},
                                                         {"\xC0\xAF", times(2)},
                                                         {"\xE0\x80\x80", times(3)},
                                                         {"\xED\xA0\x80", times(3)},
                                                         {"\xF0\x80\x80\x80", times(4)},
                                                         {"\xF4\x90\x80\x80", times(4)},
                                                         {"\xE1\x80"
                                                          "A",
                                                          times(1) + "A"},
                                                         {"\xFF\xFE", times(2)},
                                                         {"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
                                                         {"가\xEA", "가" + times(1)},
                                                         {"", ""}};
    for (const auto& [bytes, text] : cases) EXPECT_EQ(mend(bytes), text);
}

TEST(Utf8, PiecesOrWholeIsTheSame) {
    std::mt19937 random(1);
    const unsigned char bytes[] = {0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xEA,
                                   0xB0, 0xED, 0xF0, 0x90, 0xF4, 0x8F, 0xFF};
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (auto n = random() % 12; n > 0; --n)
            text += static_cast<char>(bytes[random() % std::size(bytes)]);
        Utf8Mender mender;
        std::string out;
        for (const char c : text) {
            out += mender.push(std::string_view(&c, 1));
            EXPECT_EQ(find_invalid_utf8(out), std::string_view::npos);
        }
        out += mender.flush();
        EXPECT_EQ(out, mend(text));
        EXPECT_EQ(out == text, find_invalid_utf8(text) == std::string_view::npos);
    }
}

TEST(Utf8, EveryScalarValueThereAndBack) {
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        std::string text;
        append_utf8(text, c);
        ASSERT_EQ(find_invalid_utf8(text), std::string_view::npos);
        std::size_t position = 0;
        ASSERT_EQ(next_code_point(text, position), c);
        ASSERT_EQ(position, text.size());
        ASSERT_EQ(previous_code_point(text, position), c);
        ASSERT_EQ(position, 0u);
    }
}

TEST(Utf8, FirstInvalidByteIsFound) {
    EXPECT_EQ(find_invalid_utf8("가나\xEA"), 6u);
    EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0u);
    EXPECT_EQ(find_invalid_utf8("ab\xC0\x80"), 2u);
}

TEST(Utf8, IsWhatRfc3629Says) {
    for (const char* good :
         {"", "model.norm", "가람", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF"}) {
        EXPECT_TRUE(is_utf8(good)) << good;
    }
    for (const char* bad :
         {"\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xEA\xB0", "a\xEA\xB0z"}) {
        EXPECT_FALSE(is_utf8(bad)) << bad;
    }
}

}  // namespace
}  // namespace mm
