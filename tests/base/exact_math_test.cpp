#include "core/base/exact_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "core/base/json.hpp"

namespace mm {
namespace {

double from_bits(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// golden/base/log.json: correctly rounded logarithms (tests/reference/exact_log.py).
TEST(ExactLog, IsCorrectlyRoundedOnTheGoldenValues) {
    const std::string path = std::string(MM_SOURCE_DIR) + "/tests/golden/base/log.json";
    std::ifstream file(path, std::ios::binary);
    const Json pairs = parse_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
    ASSERT_GT(pairs.size(), 1000U);
    for (const Json& pair : pairs) {
        const double x = from_bits(std::stoull(pair[0].get<std::string>(), nullptr, 16));
        const double expected = from_bits(std::stoull(pair[1].get<std::string>(), nullptr, 16));
        EXPECT_EQ(exact_log(x), expected) << "at " << std::hexfloat << x;
    }
}

// A libm is within 1 ulp of the true value, on every target.
TEST(ExactLog, StaysWithinAnUlpOfTheLibrary) {
    std::uint64_t state = 1;
    for (int i = 0; i < 200000; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const double x = i % 2 == 0 ? 1 - static_cast<double>(state >> 11) * 0x1p-53  // a draw's 1 − u
                                    : from_bits(state >> 2);                          // any size up to 2
        const double expected = std::log(x);
        EXPECT_LE(std::abs(exact_log(x) - expected), std::abs(expected) * 0x1p-52) << std::hexfloat << x;
    }
}

TEST(ExactLog, SpecialValues) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(exact_log(1.0), 0.0);
    EXPECT_FALSE(std::signbit(exact_log(1.0)));
    EXPECT_EQ(exact_log(0.0), -kInf);
    EXPECT_EQ(exact_log(-0.0), -kInf);
    EXPECT_EQ(exact_log(kInf), kInf);
    EXPECT_TRUE(std::isnan(exact_log(-1.0)));
    EXPECT_TRUE(std::isnan(exact_log(-kInf)));
    EXPECT_TRUE(std::isnan(exact_log(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace mm
