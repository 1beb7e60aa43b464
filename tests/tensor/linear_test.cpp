// Products against plain loops: every shape, type, number of threads and instruction set gives the same bits.
#include "core/tensor/linear.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/tensor/each_instruction_set.hpp"
#include "tests/tensor/reference.hpp"

namespace mm {
namespace {

using reference::Lcg;
using reference::Weight;

constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16};

void expect_reference(DType dtype, std::size_t rows, std::size_t n, std::size_t k, int threads) {
    SCOPED_TRACE(testing::Message() << to_string(dtype) << " " << rows << "x" << k << " by " << n << ", "
                                    << threads << " threads");
    Lcg random(static_cast<std::uint32_t>(rows * 131 + n * 17 + k));
    const Weight weight(dtype, n, k, random);
    const std::vector<float> x = random.floats(rows * k);
    const std::vector<float> expected = reference::linear(x, weight.floats, rows, n, k);
    ThreadPool pool(threads);
    const PackedMatrix packed = PackedMatrix::pack(weight.view, pool);
    // Rows apart in memory, and a guard that shows a write past the N-th output.
    const std::size_t x_stride = k + 3, y_stride = n + 5;
    std::vector<float> wide_x(rows * x_stride, 1e30f);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(&x[r * k], k, &wide_x[r * x_stride]);
    for_each_instruction_set([&] {
        std::vector<float> y(rows * y_stride, -7.0f);
        linear(wide_x.data(), rows, x_stride, packed, y.data(), y_stride, pool);
        for (std::size_t r = 0; r < rows; ++r) {
            ASSERT_TRUE(same_bits({&y[r * y_stride], n}, {&expected[r * n], n})) << "row " << r;
            for (std::size_t i = n; i < y_stride; ++i) ASSERT_EQ(y[r * y_stride + i], -7.0f);
        }
    });
}

TEST(Linear, EveryOddShape) {
    for (const DType dtype : kTypes) {
        for (const std::size_t n : {1u, 3u, 15u, 16u, 17u, 31u, 33u, 64u, 79u, 120u}) {
            for (const std::size_t k : {1u, 3u, 16u, 17u, 120u}) {
                for (const std::size_t rows : {1u, 2u, 3u, 5u, 6u, 7u, 13u}) {
                    expect_reference(dtype, rows, n, k, 1);
                }
            }
        }
    }
}

TEST(Linear, SumsThatRestBetweenBlocksOfInputs) {
    for (const DType dtype : kTypes) {
        for (const std::size_t k : {255u, 256u, 257u, 513u, 1000u}) {
            for (const std::size_t rows : {1u, 4u, 11u}) expect_reference(dtype, rows, 97, k, 1);
        }
    }
}

TEST(Linear, ThreadsChangeNothing) {
    for (const DType dtype : kTypes) {
        for (const int threads : {2, 3}) {
            expect_reference(dtype, 1, 1100, 300, threads);
            expect_reference(dtype, 9, 515, 200, threads);
        }
    }
}

TEST(Linear, ARowDoesNotKnowItsNeighbours) {
    Lcg random(5);
    ThreadPool pool(2);
    const std::size_t n = 130, k = 301, rows = 29;
    for (const DType dtype : kTypes) {
        const Weight weight(dtype, n, k, random);
        const PackedMatrix packed = PackedMatrix::pack(weight.view, pool);
        const std::vector<float> x = random.floats(rows * k);
        std::vector<float> together(rows * n), alone(n);
        linear(x.data(), rows, k, packed, together.data(), n, pool);
        for (std::size_t r = 0; r < rows; ++r) {
            linear(&x[r * k], 1, k, packed, alone.data(), n, pool);
            ASSERT_TRUE(same_bits(alone, {&together[r * n], n}));
        }
    }
}

TEST(Linear, PanelsAreARangeOfTheWhole) {
    Lcg random(6);
    ThreadPool pool(1);
    const std::size_t n = 150, k = 40, rows = 3;
    const Weight weight(DType::f32, n, k, random);
    const PackedMatrix packed = PackedMatrix::pack(weight.view, pool);
    const std::vector<float> x = random.floats(rows * k);
    std::vector<float> whole(rows * n);
    linear(x.data(), rows, k, packed, whole.data(), n, pool);
    for_each_instruction_set([&] {
        for (std::size_t cut = 0; cut <= packed.panels(); ++cut) {
            std::vector<float> parts(rows * n, 9.0f);
            linear_panels(x.data(), rows, k, packed, cut, packed.panels(), parts.data(), n);
            for (std::size_t i = 0; i < std::min(n, cut * 16); ++i) ASSERT_EQ(parts[i], 9.0f);
            linear_panels(x.data(), rows, k, packed, 0, cut, parts.data(), n);
            ASSERT_TRUE(same_bits(parts, whole));
        }
    });
}

TEST(Linear, SpecialValuesGoThroughAsIeeeSays) {
    ThreadPool pool(1);
    const std::vector<float> w = {1.0f, 0.0f, -1.0f, 2.0f};
    TensorView view{.dtype = DType::f32,
                    .shape = {2, 2},
                    .strides = {2, 1},
                    .data = reinterpret_cast<const std::byte*>(w.data())};
    const PackedMatrix packed = PackedMatrix::pack(view, pool);
    const float inf = std::numeric_limits<float>::infinity();
    for_each_instruction_set([&] {
        for (const std::size_t rows : {1u, 2u}) {
            const std::vector<float> x = {inf, 1.0f, -0.0f, 1e-45f};
            std::vector<float> y(4);
            linear(x.data(), rows, 2, packed, y.data(), 2, pool);
            EXPECT_TRUE(std::isinf(y[0]) && y[0] > 0);
            EXPECT_TRUE(std::isinf(y[1]) && y[1] < 0);
            if (rows == 2) {
                EXPECT_EQ(y[2], 0.0f);
                EXPECT_EQ(y[3], 2.8e-45f);  // subnormal numbers are not flushed
            }
        }
    });
}

TEST(Linear, HalvesWidenExactly) {
    // One weight against x = 1 for all finite halves: what comes out is the half itself. row() keeps
    // infinities and NaNs as well; no product is ever taken with them, since no model that has them is
    // loaded.
    ThreadPool pool(2);
    for (const DType dtype : {DType::f16, DType::bf16}) {
        std::vector<std::uint16_t> halves(65536);
        for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
        TensorView view{.dtype = dtype,
                        .shape = {65536, 1},
                        .strides = {1, 1},
                        .data = reinterpret_cast<const std::byte*>(halves.data())};
        const PackedMatrix packed = PackedMatrix::pack(view, pool);
        EXPECT_TRUE(packed.has_nonfinite());
        const float one = 1;
        for_each_instruction_set([&] {
            std::vector<float> y(65536), row(1);
            linear(&one, 1, 1, packed, y.data(), y.size(), pool);
            for (std::size_t i = 0; i < y.size(); ++i) {
                const float expected =
                    dtype == DType::f16 ? reference::widen_f16(halves[i]) : reference::widen_bf16(halves[i]);
                packed.row(i, row.data());
                if (std::isnan(expected)) {
                    ASSERT_TRUE(std::isnan(row[0])) << i;
                    continue;
                }
                ASSERT_EQ(reference::bits(row[0]), reference::bits(expected)) << i;
                if (!std::isfinite(expected)) continue;
                ASSERT_EQ(y[i], expected) << i;  // a chain begins at +0, so −0 comes out as +0
            }
        });
    }
}

}  // namespace
}  // namespace mm
