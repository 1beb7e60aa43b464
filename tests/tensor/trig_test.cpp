// Sine and cosine against long double: the correctly rounded float32, for every angle RoPE can meet.
#include "core/tensor/trig.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/tensor/reference.hpp"

namespace mm {
namespace {

::testing::AssertionResult exact(float angle) {
    const SinCos got = sin_cos(angle);
    const auto sin = static_cast<float>(std::sin(static_cast<long double>(angle)));
    const auto cos = static_cast<float>(std::cos(static_cast<long double>(angle)));
    if (got.sin == sin && got.cos == cos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "angle " << testing::PrintToString(angle) << ": " << got.sin
                                         << ", " << got.cos << " instead of " << sin << ", " << cos;
}

TEST(SinCos, EveryAngleOfRotaryEmbeddings) {
    // position × frequency as MiniMind forms it, for head sizes and bases in use and for far positions.
    for (const int head_dim : {12, 96}) {
        for (const double base : {1e4, 1e6}) {
            for (int i = 0; i < head_dim / 2; ++i) {
                const auto frequency = static_cast<float>(
                    1.0 / std::pow(base, static_cast<float>(2 * i) / static_cast<float>(head_dim)));
                for (int position = 0; position < 32768; position += position < 2048 ? 1 : 37) {
                    ASSERT_TRUE(exact(static_cast<float>(position) * frequency));
                }
            }
        }
    }
}

TEST(SinCos, EveryMagnitudeAndSign) {
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 65521) {
        const float angle = reference::value(static_cast<std::uint32_t>(bits));
        if (!std::isfinite(angle)) continue;
        ASSERT_TRUE(exact(angle));
    }
    EXPECT_TRUE(exact(std::numeric_limits<float>::max()));
    EXPECT_TRUE(exact(std::numeric_limits<float>::denorm_min()));
    EXPECT_EQ(reference::bits(sin_cos(-0.0f).sin), reference::bits(-0.0f));
}

TEST(SinCos, NearMultiplesOfAQuarterTurn) {
    for (int i = 1; i < 30000; i += 7) {
        const auto angle = static_cast<float>(i * 1.5707963267948966);
        ASSERT_TRUE(exact(angle));
        ASSERT_TRUE(exact(std::nextafter(angle, 0.0f)));
        ASSERT_TRUE(exact(-std::nextafter(angle, 1e9f)));
    }
    // The float32 nearest to a multiple of π/2 of all: 16367173 · 2^72.
    ASSERT_TRUE(exact(std::ldexp(16367173.0f, 72)));
}

TEST(SinCos, NotANumber) {
    for (const float angle : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()}) {
        EXPECT_TRUE(std::isnan(sin_cos(angle).sin));
        EXPECT_TRUE(std::isnan(sin_cos(angle).cos));
    }
}

}  // namespace
}  // namespace mm
