// Row operations: bit-equal to plain loops on every instruction set, and close to long double arithmetic.
#include "core/tensor/ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/tensor/each_instruction_set.hpp"
#include "tests/tensor/reference.hpp"

namespace mm {
namespace {

using reference::Lcg;

constexpr std::size_t kSizes[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 120, 201, 768, 6400};
constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

// |value − exact| in units of the last place of the float32 nearest to exact.
double ulps(float value, long double exact) {
    int exponent;
    std::frexp(static_cast<float>(exact), &exponent);
    return static_cast<double>(std::fabs(value - exact) / std::ldexp(1.0L, std::max(exponent, -125) - 24));
}

TEST(Ops, RmsNorm) {
    for (const std::size_t n : kSizes) {
        Lcg random(static_cast<std::uint32_t>(n));
        const std::vector<float> x = random.floats(n, 5), weight = random.floats(n, 2);
        const std::vector<float> expected = reference::rms_norm(x, weight, 1e-6f);
        long double squares = 0;
        for (const float v : x) squares += static_cast<long double>(v) * v;
        const long double scale = 1 / std::sqrt(squares / static_cast<long double>(n) + 1e-6f);
        for_each_instruction_set([&] {
            std::vector<float> out(n + 1, -7.0f), in_place = x;
            rms_norm(x.data(), weight.data(), 1e-6f, n, out.data());
            rms_norm(in_place.data(), weight.data(), 1e-6f, n, in_place.data());
            ASSERT_TRUE(same_bits({out.data(), n}, expected)) << n;
            ASSERT_TRUE(same_bits(in_place, expected)) << n;
            ASSERT_EQ(out[n], -7.0f);
            for (std::size_t i = 0; i < n; ++i) {
                ASSERT_LE(ulps(out[i], x[i] * scale * weight[i]), 8) << n << ", " << i;
            }
        });
    }
}

TEST(Ops, Softmax) {
    for (const std::size_t n : kSizes) {
        Lcg random(static_cast<std::uint32_t>(n));
        std::vector<float> x = random.floats(n, 20);
        if (n > 4) x[n / 2] = -kInf;
        const std::vector<float> expected = reference::softmax(x);
        long double largest = -kInf, sum = 0;
        for (const float v : x) largest = std::max<long double>(largest, v);
        for (const float v : x) sum += std::exp(v - largest);
        for_each_instruction_set([&] {
            std::vector<float> out(n + 1, -7.0f), in_place = x;
            softmax(x.data(), n, out.data());
            softmax(in_place.data(), n, in_place.data());
            ASSERT_TRUE(same_bits({out.data(), n}, expected)) << n;
            ASSERT_TRUE(same_bits(in_place, expected)) << n;
            ASSERT_EQ(out[n], -7.0f);
            // x − max is itself rounded: half a unit of up to 40 moves its exp by up to 2^-19.
            for (std::size_t i = 0; i < n; ++i) {
                ASSERT_LE(ulps(out[i], std::exp(x[i] - largest) / sum), 36) << n << ", " << i;
            }
        });
    }
}

TEST(Ops, SoftmaxOfWhatCannotBeNormalisedIsNan) {
    for_each_instruction_set([&] {
        for (const std::size_t n : {5u, 40u}) {
            for (const float bad : {kNan, kInf}) {
                std::vector<float> x(n, 1.0f);
                x[n - 2] = bad;
                softmax(x.data(), n, x.data());
                EXPECT_TRUE(std::isnan(x[n - 2]));
            }
            std::vector<float> x(n, -kInf);
            softmax(x.data(), n, x.data());
            for (const float v : x) EXPECT_TRUE(std::isnan(v));
        }
    });
}

TEST(Ops, SiluMultiply) {
    for (const std::size_t n : kSizes) {
        Lcg random(static_cast<std::uint32_t>(n));
        std::vector<float> gate = random.floats(n, 30);
        gate[n / 2] = n % 2 ? -100.0f : 100.0f;
        const std::vector<float> up = random.floats(n, 2);
        const std::vector<float> expected = reference::silu_multiply(gate, up);
        for_each_instruction_set([&] {
            std::vector<float> out = gate;
            out.push_back(-7.0f);
            silu_multiply(out.data(), up.data(), n);
            ASSERT_TRUE(same_bits({out.data(), n}, expected)) << n;
            ASSERT_EQ(out[n], -7.0f);
            for (std::size_t i = 0; i < n; ++i) {
                if (std::fabs(gate[i]) > 80) continue;
                const long double exact =
                    gate[i] / (1 + std::exp(-static_cast<long double>(gate[i]))) * up[i];
                ASSERT_LE(ulps(out[i], exact), 4) << n << ", " << i;
            }
        });
    }
}

TEST(Ops, AddTo) {
    for (const std::size_t n : kSizes) {
        Lcg random(static_cast<std::uint32_t>(n));
        const std::vector<float> x = random.floats(n), y = random.floats(n);
        for_each_instruction_set([&] {
            std::vector<float> out = x;
            out.push_back(-7.0f);
            add_to(out.data(), y.data(), n);
            for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], x[i] + y[i]);
            ASSERT_EQ(out[n], -7.0f);
        });
    }
}

TEST(Ops, RotateHalf) {
    for (const std::size_t head_dim : {2u, 4u, 6u, 12u, 16u, 20u, 32u, 64u, 96u, 128u, 130u}) {
        Lcg random(static_cast<std::uint32_t>(head_dim));
        const std::size_t half = head_dim / 2;
        const std::vector<float> x = random.floats(head_dim), cos = random.floats(half),
                                 sin = random.floats(half);
        for_each_instruction_set([&] {
            std::vector<float> out = x;
            rotate_half(out.data(), cos.data(), sin.data(), head_dim);
            for (std::size_t i = 0; i < half; ++i) {
                const float a = x[i] * cos[i], b = x[i + half] * sin[i];
                const float c = x[i + half] * cos[i], d = x[i] * sin[i];
                ASSERT_EQ(reference::bits(out[i]), reference::bits(a - b));
                ASSERT_EQ(reference::bits(out[i + half]), reference::bits(c + d));
            }
        });
    }
}

TEST(Ops, Argmax) {
    for_each_instruction_set([&] {
        for (const std::size_t n : kSizes) {
            Lcg random(static_cast<std::uint32_t>(n));
            std::vector<float> x = random.floats(n);
            for (std::size_t at = 0; at < n; at += 1 + n / 40) {
                std::vector<float> y = x;
                y[at] = 2;
                EXPECT_EQ(argmax(y.data(), n), at);
                y[n - 1] = 2;
                EXPECT_EQ(argmax(y.data(), n), at) << "a tie goes to the lower index";
                if (at > 0) {
                    y[at - 1] = kNan;
                    EXPECT_EQ(argmax(y.data(), n), at);
                }
            }
            EXPECT_EQ(argmax(std::vector<float>(n, kNan).data(), n), 0u);
            EXPECT_EQ(argmax(std::vector<float>(n, -kInf).data(), n), 0u);
        }
    });
}

TEST(Exp, WithinOneUlpAndTheSameInVectors) {
    // A walk over all finite floats in steps of a prime; the whole walk was measured once: 0.9904 ulp.
    double worst = 0;
    std::vector<float> inputs;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
        const float x = reference::value(static_cast<std::uint32_t>(bits));
        if (std::isnan(x)) continue;
        inputs.push_back(x);
        const long double exact = std::exp(static_cast<long double>(x));
        const float value = exp_f32(x);
        ASSERT_EQ(reference::bits(value), reference::bits(reference::exp(x))) << x;
        if (exact > std::numeric_limits<float>::max()) {
            ASSERT_TRUE(value == kInf || ulps(value, exact) <= 1) << x;
        } else if (exact < std::numeric_limits<float>::min()) {
            ASSERT_TRUE(value == 0.0f || ulps(value, exact) <= 1) << x;
        } else {
            worst = std::max(worst, ulps(value, exact));
        }
    }
    EXPECT_LE(worst, 1);
    EXPECT_GT(worst, 0.5) << "the measure itself is broken";
    for_each_instruction_set([&] {
        for (const float x : inputs)
            ASSERT_EQ(reference::bits(exp_f32(x)), reference::bits(reference::exp(x)));
        // The vector form, seen through a softmax whose largest entry is 0 and is the only one that counts.
        for (std::size_t i = 0; i + 15 < inputs.size(); i += 15) {
            std::vector<float> row(inputs.begin() + static_cast<std::ptrdiff_t>(i),
                                   inputs.begin() + static_cast<std::ptrdiff_t>(i + 15));
            for (float& x : row) x = x < 0 ? x : -x;
            row.push_back(0);
            const std::vector<float> expected = reference::softmax(row);
            softmax(row.data(), row.size(), row.data());
            ASSERT_TRUE(same_bits(row, expected));
        }
    });
}

TEST(Exp, EdgesOfItsRange) {
    for_each_instruction_set([&] {
        EXPECT_EQ(exp_f32(0.0f), 1.0f);
        EXPECT_EQ(exp_f32(-0.0f), 1.0f);
        EXPECT_EQ(exp_f32(-kInf), 0.0f);
        EXPECT_EQ(exp_f32(kInf), kInf);
        EXPECT_TRUE(std::isnan(exp_f32(kNan)));
        const float most = 0x1.62e42ep+6f, least = -0x1.5d589ep+6f;  // the last ones inside
        EXPECT_TRUE(std::isfinite(exp_f32(most)));
        EXPECT_EQ(exp_f32(std::nextafter(most, kInf)), kInf);
        EXPECT_GE(exp_f32(least), std::numeric_limits<float>::min());
        EXPECT_EQ(exp_f32(std::nextafter(least, -kInf)), 0.0f);
    });
}

}  // namespace
}  // namespace mm
