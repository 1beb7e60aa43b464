// The same bits on every target: checksums of every kernel's output for inputs that a generator of our own
// makes, committed once. Built by emscripten and run under Node, this same source proves that the browser
// computes what the command line computes.
//
// A checksum that changes means results change for every user: recorded goldens and downloads no longer
// match.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/attention.hpp"
#include "core/tensor/linear.hpp"
#include "core/tensor/ops.hpp"
#include "core/tensor/trig.hpp"
#include "tests/tensor/each_instruction_set.hpp"
#include "tests/tensor/reference.hpp"

namespace mm {
namespace {

using reference::Lcg;

// CRC-32 (IEEE 802.3) of float bits, least significant byte first.
class Checksum {
  public:
    void add(std::span<const float> values) {
        for (const float value : values) {
            const std::uint32_t bits = reference::bits(value);
            for (int i = 0; i < 4; ++i) add_byte((bits >> (8 * i)) & 0xFF);
        }
    }
    std::string text() const {
        char hex[9];
        std::snprintf(hex, sizeof hex, "%08x", static_cast<unsigned>(~crc_));
        return hex;
    }

  private:
    void add_byte(std::uint32_t byte) {
        crc_ ^= byte;
        for (int i = 0; i < 8; ++i) crc_ = (crc_ >> 1) ^ (crc_ & 1 ? 0xEDB88320u : 0);
    }
    std::uint32_t crc_ = 0xFFFFFFFFu;
};

std::string linear_checksum(DType dtype) {
    Checksum sum;
    ThreadPool pool(2);
    for (const std::size_t rows : {1u, 5u, 14u}) {
        for (const std::size_t n : {17u, 64u, 100u}) {
            for (const std::size_t k : {20u, 96u, 300u}) {
                Lcg random(static_cast<std::uint32_t>(rows + n + k));
                const reference::Weight weight(dtype, n, k, random);
                const std::vector<float> x = random.floats(rows * k);
                std::vector<float> y(rows * n);
                linear(x.data(), rows, k, PackedMatrix::pack(weight.view, pool), y.data(), n, pool);
                sum.add(y);
            }
        }
    }
    return sum.text();
}

std::string attention_checksum() {
    Checksum sum;
    for (const std::size_t k : {12u, 20u, 32u, 96u}) {
        constexpr std::size_t kTiles = 5, kRows = 7;
        Lcg random(static_cast<std::uint32_t>(k));
        std::vector<float> memory = random.floats(kTiles * 2 * kTile * k + kTile, 2);
        float* base = memory.data();
        while (reinterpret_cast<std::uintptr_t>(base) % 64 != 0) ++base;
        // The values must not depend on where the aligned part begins.
        const std::vector<float> tiles = random.floats(kTiles * 2 * kTile * k, 2);
        std::copy(tiles.begin(), tiles.end(), base);
        std::vector<const float*> k_tiles, v_tiles;
        for (std::size_t t = 0; t < kTiles; ++t) {
            k_tiles.push_back(base + 2 * t * kTile * k);
            v_tiles.push_back(base + (2 * t + 1) * kTile * k);
        }
        const std::vector<float> q = random.floats(kRows * k, 2);
        const std::vector<std::size_t> lengths = {1, 16, 17, 40, 41, 79, 80};
        std::vector<float> scores(kRows * kTiles * kTile), out(kRows * k);
        attend_rows(q.data(), k, kRows, k, {k_tiles.data(), 0}, {v_tiles.data(), 0}, lengths.data(),
                    scores.data(), out.data(), k);
        sum.add(out);
    }
    return sum.text();
}

std::string row_checksum() {
    Checksum sum;
    for (const std::size_t n : {1u, 7u, 48u, 100u, 768u}) {
        Lcg random(static_cast<std::uint32_t>(n));
        const std::vector<float> x = random.floats(n, 12), w = random.floats(n);
        std::vector<float> out(n);
        rms_norm(x.data(), w.data(), 1e-6f, n, out.data());
        sum.add(out);
        softmax(x.data(), n, out.data());
        sum.add(out);
        out = x;
        silu_multiply(out.data(), w.data(), n);
        sum.add(out);
        add_to(out.data(), w.data(), n);
        sum.add(out);
        rotate_half(out.data(), x.data(), w.data(), n / 2 * 2);
        sum.add(out);
        const float best = static_cast<float>(argmax(out.data(), n));
        sum.add({&best, 1});
    }
    return sum.text();
}

std::string exp_checksum() {
    Checksum sum;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 65521) {
        const float x = reference::value(static_cast<std::uint32_t>(bits));
        if (x != x) continue;  // a NaN's bits are the processor's own
        const float y = exp_f32(x);
        sum.add({&y, 1});
    }
    return sum.text();
}

std::string trig_checksum() {
    Checksum sum;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 65521) {
        const float x = reference::value(static_cast<std::uint32_t>(bits));
        if (x - x != 0) continue;
        const SinCos y = sin_cos(x);
        sum.add({&y.sin, 1});
        sum.add({&y.cos, 1});
    }
    return sum.text();
}

TEST(Bits, AreTheSameOnEveryTarget) {
    EXPECT_EQ(trig_checksum(), "5ef9217e");
    for_each_instruction_set([] {
        EXPECT_EQ(linear_checksum(DType::f32), "8312eda0");
        EXPECT_EQ(linear_checksum(DType::f16), "b5c5373a");
        EXPECT_EQ(linear_checksum(DType::bf16), "0573557a");
        EXPECT_EQ(attention_checksum(), "f2d0d459");
        EXPECT_EQ(row_checksum(), "9c74b363");
        EXPECT_EQ(exp_checksum(), "b8f45cb2");
    });
}

}  // namespace
}  // namespace mm
