// Option values: strict, exact to the last bit, the same in every locale.
#include "native/options/parse.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace mm {
namespace {

TEST(Parse, IntegersAreWholeTexts) {
    EXPECT_EQ(parse_integer("--n", "8192"), 8192);
    EXPECT_EQ(parse_integer("--n", "+5"), 5);
    EXPECT_EQ(parse_integer("--n", "-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    for (const char* text :
         {"", " 1", "1 ", "1e3", "1.0", "0x10", "1,000", "--1", "+-1", "9223372036854775808"}) {
        EXPECT_THROW(parse_integer("--n", text), Error) << text;
    }
    EXPECT_THROW(parse_integer("--n", "0", 1, 5), Error);
    EXPECT_THROW(parse_integer("--n", "6", 1, 5), Error);
    try {
        parse_integer("--n", "6x", 1, 5);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::range);
        EXPECT_STREQ(error.what(), "--n: '6x' is not a whole number in 1 … 5");
    }
}

TEST(Parse, NumbersAreDecimalAndFinite) {
    EXPECT_EQ(parse_number("--x", "0.85"), 0.85);
    EXPECT_EQ(parse_number("--x", "1e-6"), 1e-6);
    EXPECT_EQ(parse_number("--x", "5"), 5.0);
    EXPECT_EQ(parse_number("--x", "-0.1"), -0.1);
    for (const char* text : {"", "1e3x", "0,5", "nan", "inf", "-inf", "1e999", "0x1p3", "1 "}) {
        EXPECT_THROW(parse_number("--x", text), Error) << text;
    }
}

TEST(Parse, SeedsNeverPassThroughADouble) {
    EXPECT_EQ(parse_seed("--seed", "0"), 0U);
    EXPECT_EQ(parse_seed("--seed", "18446744073709551615"), ~std::uint64_t{0});
    EXPECT_EQ(parse_seed("--seed", "9007199254740993"), 9007199254740993U) << "2^53 + 1";
    EXPECT_EQ(parse_seed("--seed", "-1"), ~std::uint64_t{0});
    EXPECT_EQ(parse_seed("--seed", "-9223372036854775808"), std::uint64_t{1} << 63);
    for (const char* text : {"", "-", "1.0", "18446744073709551616", "-9223372036854775809", "abc", "1e3"}) {
        EXPECT_THROW(parse_seed("--seed", text), Error) << text;
    }
}

TEST(Parse, ListsAndIds) {
    EXPECT_EQ(parse_list("--p", "0.5, 0.90"), (std::vector<std::string>{"0.5", "0.90"}));
    EXPECT_TRUE(parse_list("--p", " ").empty());
    EXPECT_THROW(parse_list("--p", "1,,2"), Error);
    EXPECT_THROW(parse_list("--p", "1,"), Error);
    EXPECT_EQ(parse_ids("--ids", "1, 2147483647,0"), (std::vector<TokenId>{1, 2147483647, 0}));
    for (const char* text : {"-1", "2147483648", "a", "1.5", "1;2"}) {
        EXPECT_THROW(parse_ids("--ids", text), Error) << text;
    }
}

}  // namespace
}  // namespace mm
