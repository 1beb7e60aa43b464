// Packing: every element in its place, whatever the strides and alignment of the source.
#include "core/tensor/packed_matrix.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "tests/tensor/reference.hpp"

namespace mm {
namespace {

using reference::Lcg;
using reference::Weight;

constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16};

// Element (n, k) of the view must be element [n / 16][k][n % 16]; padding is zero.
void expect_packed(const PackedMatrix& packed, const TensorView& view) {
    const auto n_count = static_cast<std::size_t>(view.shape[0]),
               k_count = static_cast<std::size_t>(view.shape[1]);
    ASSERT_EQ(packed.outputs(), n_count);
    ASSERT_EQ(packed.inputs(), k_count);
    ASSERT_EQ(packed.dtype(), view.dtype);
    ASSERT_EQ(packed.panels(), (n_count + 15) / 16);
    const std::size_t size = item_size(view.dtype);
    ASSERT_EQ(packed.bytes(), packed.panels() * 16 * k_count * size);
    const std::vector<std::byte> zero(size);
    std::vector<float> row(k_count);
    for (std::size_t n = 0; n < packed.panels() * 16; ++n) {
        const auto* panel = static_cast<const std::byte*>(packed.panel(n / 16));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(packed.panel(0)) % 64, 0u);
        if (n < n_count) packed.row(n, row.data());
        for (std::size_t k = 0; k < k_count; ++k) {
            const std::byte* from = n < n_count
                                        ? view.data + (n * static_cast<std::size_t>(view.strides[0]) +
                                                       k * static_cast<std::size_t>(view.strides[1])) *
                                                          size
                                        : zero.data();
            ASSERT_EQ(std::memcmp(panel + (k * 16 + n % 16) * size, from, size), 0) << n << ", " << k;
            if (n >= n_count) continue;
            float f;
            std::uint16_t h;
            std::memcpy(&h, from, 2);
            if (view.dtype == DType::f32) {
                std::memcpy(&f, from, 4);
            } else {
                f = view.dtype == DType::f16 ? reference::widen_f16(h) : reference::widen_bf16(h);
            }
            ASSERT_EQ(reference::bits(row[k]), reference::bits(f));
        }
    }
}

TEST(PackedMatrix, EveryElementInItsPlace) {
    Lcg random(1);
    for (const DType dtype : kTypes) {
        for (const std::size_t n : {1u, 15u, 16u, 17u, 33u, 120u}) {
            for (const std::size_t k : {1u, 3u, 16u, 31u, 64u, 131u}) {
                const Weight weight(dtype, n, k, random);
                for (const int threads : {1, 3}) {
                    ThreadPool pool(threads);
                    const PackedMatrix packed = PackedMatrix::pack(weight.view, pool);
                    expect_packed(packed, weight.view);
                    EXPECT_FALSE(packed.has_nonfinite());
                }
            }
        }
    }
}

TEST(PackedMatrix, ReadsAnyStridesAndAlignment) {
    Lcg random(2);
    ThreadPool pool(2);
    for (const DType dtype : kTypes) {
        const Weight weight(dtype, 40, 60, random);
        std::vector<std::byte> shifted(weight.bytes.size() + 1);
        std::memcpy(shifted.data() + 1, weight.bytes.data(), weight.bytes.size());
        struct Case {
            std::int64_t n, k, row_stride, column_stride;
        };
        for (const Case c : {Case{60, 40, 1, 60}, Case{20, 30, 120, 2}, Case{37, 60, 0, 1},
                             Case{37, 45, 1, 0}, Case{40, 33, 60, 1}}) {
            TensorView view = weight.view;
            view.shape = {c.n, c.k};
            view.strides = {c.row_stride, c.column_stride};
            expect_packed(PackedMatrix::pack(view, pool), view);
            view.data = shifted.data() + 1;
            expect_packed(PackedMatrix::pack(view, pool), view);
        }
    }
}

TEST(PackedMatrix, SeesEveryValueThatIsNotFinite) {
    ThreadPool pool(2);
    Lcg random(3);
    const std::size_t n = 35, k = 70;
    for (const DType dtype : kTypes) {
        const std::vector<std::uint32_t> special =
            dtype == DType::f32   ? std::vector<std::uint32_t>{0x7F800000, 0xFF800000, 0x7FC00001}
            : dtype == DType::f16 ? std::vector<std::uint32_t>{0x7C00, 0xFC00, 0x7E01}
                                  : std::vector<std::uint32_t>{0x7F80, 0xFF80, 0x7FC1};
        for (const std::size_t at : {std::size_t{0}, n * k - 1, 16 * k + 3, 34 * k}) {
            for (const std::uint32_t bits : special) {
                Weight weight(dtype, n, k, random);
                std::memcpy(&weight.bytes[at * item_size(dtype)], &bits, item_size(dtype));
                EXPECT_TRUE(PackedMatrix::pack(weight.view, pool).has_nonfinite()) << at;
                TensorView turned = weight.view;
                std::swap(turned.shape[0], turned.shape[1]);
                std::swap(turned.strides[0], turned.strides[1]);
                EXPECT_TRUE(PackedMatrix::pack(turned, pool).has_nonfinite()) << at;
            }
        }
    }
}

TEST(PackedMatrix, RefusesWhatIsNoWeightMatrix) {
    ThreadPool pool(1);
    TensorView view{.dtype = DType::i64, .shape = {2, 2}, .strides = {2, 1}};
    EXPECT_THROW(PackedMatrix::pack(view, pool), Error);
    view.dtype = DType::f32;
    view.shape = {4};
    view.strides = {1};
    EXPECT_THROW(PackedMatrix::pack(view, pool), Error);
    view.shape = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
    view.strides = {0, 0};
    EXPECT_THROW(PackedMatrix::pack(view, pool), Error);
}

TEST(PackedMatrix, MayBeEmpty) {
    ThreadPool pool(1);
    const TensorView view{.dtype = DType::f32, .shape = {0, 5}, .strides = {5, 1}};
    const PackedMatrix packed = PackedMatrix::pack(view, pool);
    EXPECT_EQ(packed.bytes(), 0u);
    EXPECT_EQ(packed.panels(), 0u);
}

}  // namespace
}  // namespace mm
