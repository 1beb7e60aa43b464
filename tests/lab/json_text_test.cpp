// Numbers and JSON as Python's json.dumps writes them; the expected texts are Python's.
#include "core/lab/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>
#ifndef __EMSCRIPTEN__
#include <charconv>
#endif

namespace mm {
namespace {

TEST(NumberText, IsPythonsRepr) {
    const std::vector<std::pair<double, std::string>> cases = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-2.5, "-2.5"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {56.36363636363637, "56.36363636363637"},
        {100.0, "100.0"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {0.000012345, "1.2345e-05"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {9007199254740993.0, "9007199254740992.0"},
        {1e22, "1e+22"},
        {1.5e300, "1.5e+300"},
        {5e-324, "5e-324"},
        {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
        {std::numeric_limits<double>::min(), "2.2250738585072014e-308"},
    };
    for (const auto& [value, text] : cases) EXPECT_EQ(number_text(value), text);
}

TEST(NumberText, ReadsBackAndIsShortest) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20000; ++i) {
        double value = 0;
        if (i % 2 == 0) {
            const std::uint64_t bits = random();
            std::memcpy(&value, &bits, sizeof value);
            if (!std::isfinite(value)) continue;
        } else {
            value = static_cast<double>(random() >> 11) * 0x1p-53 * 100;  // times, speedups
        }
        const std::string text = number_text(value);
        ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
#ifndef __EMSCRIPTEN__
        char shortest[64];
        const auto end =
            std::to_chars(shortest, shortest + sizeof shortest, value, std::chars_format::scientific);
        std::string digits;
        for (const char* c = shortest; c != end.ptr && *c != 'e'; ++c) {
            if (*c >= '0' && *c <= '9') digits += *c;
        }
        std::string found;
        for (const char c : text.substr(0, text.find('e'))) {
            if (c >= '0' && c <= '9') found += c;
        }
        found.erase(0, found.find_first_not_of('0'));
        while (found.size() > 1 && found.back() == '0') found.pop_back();
        ASSERT_EQ(found, digits) << text;
#endif
    }
}

TEST(NumberText, RefusesWhatJsonCannotHold) {
    EXPECT_THROW(number_text(std::numeric_limits<double>::quiet_NaN()), Error);
    EXPECT_THROW(number_text(std::numeric_limits<double>::infinity()), Error);
    EXPECT_THROW(rounded_text(-std::numeric_limits<double>::infinity(), 3), Error);
}

TEST(RoundedText, KeepsSignificantDigitsInPlainNotation) {
    EXPECT_EQ(rounded_text(56.363636, 4), "56.36");
    EXPECT_EQ(rounded_text(0.0123456, 4), "0.01235");
    EXPECT_EQ(rounded_text(0.00000123456, 3), "0.00000123");
    EXPECT_EQ(rounded_text(99.9996, 4), "100");
    EXPECT_EQ(rounded_text(9.9951, 3), "10");
    EXPECT_EQ(rounded_text(123456.7, 3), "123457");
    EXPECT_EQ(rounded_text(1200, 2), "1200");
    EXPECT_EQ(rounded_text(2, 3), "2");
    EXPECT_EQ(rounded_text(0, 3), "0");
    EXPECT_EQ(rounded_text(-1.25, 2), "-1.2");
}

TEST(JsonText, IsPythonsDumpsWithANewline) {
    EXPECT_EQ(json_text({{"b", 1}, {"a", {1, 2, 3}}, {"same", true}, {"none", nullptr}, {"x", 0.5}}),
              "{\"b\": 1, \"a\": [1, 2, 3], \"same\": true, \"none\": null, \"x\": 0.5}\n");
    EXPECT_EQ(json_text(Json::object()), "{}\n");
    EXPECT_EQ(json_text(Json::array()), "[]\n");
    EXPECT_EQ(json_text({{"가", "\"\\\n민"}}), "{\"\\uac00\": \"\\\"\\\\\\n\\ubbfc\"}\n");
    EXPECT_EQ(json_text(Json(std::uint64_t{18446744073709551615u})), "18446744073709551615\n");
}

}  // namespace
}  // namespace mm
