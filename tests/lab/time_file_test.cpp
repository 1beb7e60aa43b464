// time.json, read back: what it must hold, and that its numbers survive.
#include "core/lab/time_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/lab/written_number.hpp"

namespace mm::test {
namespace {

std::string refusal(const std::string& text) {
    try {
        read_time_json(text, "t/time.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(TimeFile, NumbersSurviveReadingAndWriting) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-8.5, 8.5);
    for (int i = 0; i < 2000; ++i) {
        const double with = std::pow(10.0, exponent(random));
        const double without = std::pow(10.0, exponent(random));
        const std::string text =
            to_json({.with_cache_s = with, .without_cache_s = without, .speedup = without / with});
        const TimingSummary read = read_time_json(text, "time.json");
        EXPECT_EQ(read.with_cache_s, with);
        EXPECT_EQ(read.without_cache_s, without);
        EXPECT_EQ(read.speedup, without / with);
        EXPECT_EQ(to_json(read), text);
    }
}

TEST(TimeFile, TakesWhatAStudentWrites) {
    const TimingSummary read = read_time_json(
        "\xEF\xBB\xBF{\n  \"note\": \"mine\", \"speedup\": 6.15, \"without_cache_s\": 3.2, \"with_cache_s\": "
        "0.52\n}",
        "time.json");
    EXPECT_EQ(read.speedup, 6.15);
    EXPECT_EQ(to_json(read), "{\"with_cache_s\": 0.52, \"without_cache_s\": 3.2, \"speedup\": 6.15}\n");
    EXPECT_EQ(read_time_json(R"({"with_cache_s": 2, "without_cache_s": 12, "speedup": 6})", "").speedup, 6.0);
    EXPECT_EQ(read_time_json(R"({"with_cache_s": 4, "without_cache_s": 2, "speedup": 0.5})", "").speedup, 0.5)
        << "a cache that was slower is a result too";
}

TEST(TimeFile, SaysWhatIsWrong) {
    EXPECT_EQ(refusal("[1]"), "t/time.json: expected a JSON object, found array");
    EXPECT_EQ(refusal(R"({"with_cache_s": 1, "speedup": 2})"),
              "t/time.json: without_cache_s: missing from this time.json");
    EXPECT_EQ(refusal(R"({"with_cache_s": "1", "without_cache_s": 2, "speedup": 2})"),
              "t/time.json: with_cache_s: expected a number, found string");
    EXPECT_EQ(refusal(R"({"with_cache_s": 1, "without_cache_s": 2, "speedup": true})"),
              "t/time.json: speedup: expected a number, found boolean");
    EXPECT_EQ(refusal(R"({"with_cache_s": 0, "without_cache_s": 2, "speedup": 2})"),
              "t/time.json: with_cache_s: 0.0 is not a plausible time: expected seconds from 1e-9 to 1e9");
    EXPECT_EQ(refusal(R"({"with_cache_s": 1, "without_cache_s": 2, "speedup": 0.5})"),
              "t/time.json: speedup: 0.5 is not without_cache_s ÷ with_cache_s = 2");
    EXPECT_EQ(refusal(R"({"with_cache_s": 1, "without_cache_s": 2, "speedup": -2})"),
              "t/time.json: speedup: -2.0 is not without_cache_s ÷ with_cache_s = 2");
    for (const char* text :
         {"", "{", R"({"with_cache_s": NaN, "without_cache_s": 2, "speedup": 2})",
          R"({"with_cache_s": 1e999, "without_cache_s": 2, "speedup": 2})",
          R"({"with_cache_s": 1, "with_cache_s": 1, "without_cache_s": 2, "speedup": 2})",
          R"({"with_cache_s": 1e300, "without_cache_s": 1e-300, "speedup": 2})", "\xFF\xFE{\0}"}) {
        EXPECT_EQ(refusal(text).find("t/time.json: "), 0U) << text << ": " << refusal(text);
    }
}

TEST(WrittenNumber, HalfOfTheLastDigit) {
    EXPECT_DOUBLE_EQ(half_last_digit("6.18"), 0.005);
    EXPECT_DOUBLE_EQ(half_last_digit("12"), 0.5);
    EXPECT_DOUBLE_EQ(half_last_digit("1.5e-3"), 0.00005);
    EXPECT_DOUBLE_EQ(half_last_digit("2E+2"), 50);
}

}  // namespace
}  // namespace mm::test
