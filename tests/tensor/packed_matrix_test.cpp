// Packing: every element in its place, whatever the strides and alignment of the source.
#include "core/tensor/packed_matrix.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
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

TEST(PackedMatrix, StacksWeightsOneBelowTheOther) {
    Lcg random(4);
    ThreadPool pool(2);
    const std::size_t k = 70;
    for (const DType dtype : kTypes) {
        const Weight a(dtype, 21, k, random), b(dtype, 3, k, random), c(dtype, 40, k, random);
        Weight all(dtype, 64, k, random);
        all.bytes = a.bytes;
        all.bytes.insert(all.bytes.end(), b.bytes.begin(), b.bytes.end());
        all.bytes.insert(all.bytes.end(), c.bytes.begin(), c.bytes.end());
        all.view.data = all.bytes.data();
        const std::vector<const TensorView*> parts = {&a.view, &b.view, &c.view};
        expect_packed(PackedMatrix::pack(parts, pool), all.view);
    }
}

TEST(PackedMatrix, InPlaceTheSamePanelsWhereTheWeightWas) {
    Lcg random(7);
    ThreadPool pool(1);
    for (const DType dtype : kTypes) {
        for (const std::size_t k : {1, 33, 70}) {
            const Weight weight(dtype, 48, k, random);
            constexpr std::size_t kHeader = 12;
            const std::shared_ptr<std::byte> memory(new std::byte[kHeader + weight.bytes.size()],
                                                    std::default_delete<std::byte[]>());
            std::memcpy(memory.get() + kHeader, weight.bytes.data(), weight.bytes.size());
            TensorView there = weight.view;
            there.data = memory.get() + kHeader;
            ASSERT_TRUE(PackedMatrix::fits_in_place(there, Keep::type));
            EXPECT_EQ(PackedMatrix::fits_in_place(there, Keep::float32), dtype == DType::f32);
            const PackedMatrix expected = PackedMatrix::pack(weight.view, pool);
            const PackedMatrix packed = PackedMatrix::pack_in_place(there, memory);
            EXPECT_EQ(memory.use_count(), 2);  // the matrix keeps it
            EXPECT_EQ(packed.panel(0), memory.get() + kHeader);
            ASSERT_EQ(packed.bytes(), expected.bytes());
            EXPECT_EQ(std::memcmp(packed.panel(0), expected.panel(0), packed.bytes()), 0);
            EXPECT_FALSE(packed.has_nonfinite());
        }
    }
}

TEST(PackedMatrix, InPlaceSeesWhatIsNotFinite) {
    Lcg random(8);
    const Weight weight(DType::f16, 32, 5, random);
    const std::shared_ptr<std::byte> memory(new std::byte[weight.bytes.size()],
                                            std::default_delete<std::byte[]>());
    std::memcpy(memory.get(), weight.bytes.data(), weight.bytes.size());
    const std::uint16_t nan = 0x7E01;
    std::memcpy(memory.get() + weight.bytes.size() - 2, &nan, 2);
    TensorView there = weight.view;
    there.data = memory.get();
    EXPECT_TRUE(PackedMatrix::pack_in_place(there, memory).has_nonfinite());
}

TEST(PackedMatrix, InPlaceOnlyWholePanelsOfAlignedRows) {
    Lcg random(9);
    const Weight whole(DType::f16, 32, 6, random), short_one(DType::f16, 31, 6, random);
    EXPECT_TRUE(PackedMatrix::fits_in_place(whole.view, Keep::type));
    EXPECT_FALSE(PackedMatrix::fits_in_place(short_one.view, Keep::type));
    TensorView turned = whole.view, apart = whole.view, odd = whole.view;
    turned.strides = {1, 32};
    apart.strides = {7, 1};
    odd.data += 1;
    for (const TensorView& view : {turned, apart, odd}) {
        EXPECT_FALSE(PackedMatrix::fits_in_place(view, Keep::type));
    }
    EXPECT_THROW(PackedMatrix::pack_in_place(short_one.view, nullptr), Error);
}

TEST(PackedMatrix, WidensTypesThatMeet) {
    Lcg random(5);
    ThreadPool pool(2);
    const std::size_t k = 33;
    Weight f32(DType::f32, 5, k, random);
    const Weight f16(DType::f16, 20, k, random), bf16(DType::bf16, 18, k, random);
    const std::vector<const TensorView*> parts = {&f16.view, &f32.view, &bf16.view};
    const PackedMatrix packed = PackedMatrix::pack(parts, pool);
    EXPECT_EQ(packed.dtype(), DType::f32);
    EXPECT_FALSE(packed.has_nonfinite());
    std::vector<float> row(k);
    for (std::size_t n = 0; n < 43; ++n) {
        packed.row(n, row.data());
        const float* expected = n < 20   ? &f16.floats[n * k]
                                : n < 25 ? &f32.floats[(n - 20) * k]
                                         : &bf16.floats[(n - 25) * k];
        for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(row[i], expected[i]) << n << ", " << i;
    }
    const std::uint16_t infinity = 0x7C00;
    Weight bad = f16;
    std::memcpy(bad.bytes.data() + 40, &infinity, 2);
    bad.view.data = bad.bytes.data();
    EXPECT_TRUE(
        PackedMatrix::pack(std::vector<const TensorView*>{&f32.view, &bad.view}, pool).has_nonfinite());
}

TEST(PackedMatrix, WidensWhenAsked) {
    Lcg random(6);
    ThreadPool pool(1);
    for (const DType dtype : kTypes) {
        const Weight weight(dtype, 19, 45, random);
        const PackedMatrix packed = PackedMatrix::pack(weight.view, pool, Keep::float32);
        ASSERT_EQ(packed.dtype(), DType::f32);
        TensorView view{.dtype = DType::f32,
                        .shape = {19, 45},
                        .strides = {45, 1},
                        .data = reinterpret_cast<const std::byte*>(weight.floats.data())};
        expect_packed(packed, view);
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
    const TensorView wide{.dtype = DType::f32, .shape = {1, 5}, .strides = {5, 1}};
    const TensorView narrow{.dtype = DType::f32, .shape = {1, 4}, .strides = {4, 1}};
    EXPECT_THROW(PackedMatrix::pack(std::vector<const TensorView*>{&wide, &narrow}, pool), Error);
    EXPECT_THROW(PackedMatrix::pack(std::vector<const TensorView*>{}, pool), Error);
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
