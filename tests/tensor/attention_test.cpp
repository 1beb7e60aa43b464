// Attention against plain loops; one query at a time, many together and any grouping give the same bits.
#include "core/tensor/attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/tensor/each_instruction_set.hpp"
#include "tests/tensor/reference.hpp"

namespace mm {
namespace {

using reference::Lcg;

// Keys and values both as plain rows and as tiles. Positions past the end hold NaN: whoever visits one shows
// it.
struct Cache {
    std::size_t head_dim;
    std::vector<float> keys, values;
    std::vector<std::vector<float>> tiles;
    std::vector<const float*> k_tiles, v_tiles;

    Cache(std::size_t length, std::size_t k, Lcg& random)
        : head_dim(k), keys(random.floats(length * k, 3)), values(random.floats(length * k)) {
        for (std::size_t t = 0; t * kTile < length; ++t) {
            tiles.emplace_back(kTile * k + 16, std::numeric_limits<float>::quiet_NaN());
            tiles.emplace_back(kTile * k, std::numeric_limits<float>::quiet_NaN());
            // 64-byte alignment inside a vector that is a little longer.
            auto& key_tile = tiles[2 * t];
            const auto address = reinterpret_cast<std::uintptr_t>(key_tile.data());
            float* aligned = key_tile.data() + (64 - address % 64) % 64 / sizeof(float);
            for (std::size_t j = 0; j < kTile && t * kTile + j < length; ++j) {
                for (std::size_t i = 0; i < k; ++i) {
                    aligned[i * kTile + j] = keys[(t * kTile + j) * k + i];
                    tiles[2 * t + 1][j * k + i] = values[(t * kTile + j) * k + i];
                }
            }
            k_tiles.push_back(aligned);
        }
        for (std::size_t t = 0; t < tiles.size() / 2; ++t) v_tiles.push_back(tiles[2 * t + 1].data());
    }
};

std::vector<float> scratch(std::size_t rows, std::size_t length) {
    return std::vector<float>(rows * ((length + 15) / 16 * 16), std::numeric_limits<float>::quiet_NaN());
}

TEST(Attention, EveryLengthAndHeadSize) {
    for (const std::size_t k : {1u, 2u, 3u, 12u, 16u, 20u, 32u, 64u, 96u, 100u, 128u}) {
        for (const std::size_t length : {1u, 2u, 3u, 15u, 16u, 17u, 31u, 33u, 64u, 120u, 201u}) {
            SCOPED_TRACE(testing::Message() << "head_dim " << k << ", length " << length);
            Lcg random(static_cast<std::uint32_t>(k * 1000 + length));
            const Cache cache(length, k, random);
            const std::vector<float> q = random.floats(k, 2);
            const std::vector<float> expected =
                reference::attend(q.data(), k, cache.keys, cache.values, length);
            for_each_instruction_set([&] {
                std::vector<float> scores = scratch(1, length), out(k + 1, -7.0f);
                attend(q.data(), k, {cache.k_tiles.data(), 0}, {cache.v_tiles.data(), 0}, length,
                       scores.data(), out.data());
                ASSERT_TRUE(same_bits({out.data(), k}, expected));
                ASSERT_EQ(out[k], -7.0f);
            });
        }
    }
}

TEST(Attention, RowsTogetherAreRowsAlone) {
    for (const std::size_t k : {12u, 32u, 96u}) {
        const std::size_t total = 150;
        Lcg random(static_cast<std::uint32_t>(k));
        const Cache cache(total, k, random);
        for (const std::size_t rows : {1u, 2u, 3u, 4u, 5u, 8u, 23u, 24u, 25u, 60u}) {
            const std::size_t q_stride = k + 5, out_stride = k + 2;
            const std::vector<float> q = random.floats(rows * q_stride, 2);
            // A prefill of pairs of heads; all alike; and lengths in no order at all.
            std::vector<std::vector<std::size_t>> kinds(3, std::vector<std::size_t>(rows));
            for (std::size_t r = 0; r < rows; ++r) {
                kinds[0][r] = 40 + r / 2;
                kinds[1][r] = total;
                kinds[2][r] = 1 + random.next() % total;
            }
            for (const auto& lengths : kinds) {
                std::vector<std::vector<float>> expected;
                for (std::size_t r = 0; r < rows; ++r) {
                    expected.push_back(
                        reference::attend(&q[r * q_stride], k, cache.keys, cache.values, lengths[r]));
                }
                for_each_instruction_set([&] {
                    std::vector<float> scores =
                        scratch(rows, *std::max_element(lengths.begin(), lengths.end()));
                    std::vector<float> out(rows * out_stride, -7.0f);
                    attend_rows(q.data(), q_stride, rows, k, {cache.k_tiles.data(), 0},
                                {cache.v_tiles.data(), 0}, lengths.data(), scores.data(), out.data(),
                                out_stride);
                    for (std::size_t r = 0; r < rows; ++r) {
                        ASSERT_TRUE(same_bits({&out[r * out_stride], k}, expected[r])) << "row " << r;
                        ASSERT_EQ(out[r * out_stride + k], -7.0f);
                    }
                });
            }
        }
    }
}

TEST(Attention, KeepsToPlainArithmeticWhenScoresAreExtreme) {
    // One key far above the others takes all; equal keys share evenly.
    Lcg random(9);
    Cache cache(33, 4, random);
    for (const bool far : {true, false}) {
        for (std::size_t s = 0; s < 33; ++s) {
            for (std::size_t i = 0; i < 4; ++i) {
                const float key = far && s == 20 ? 1e4f : 1.0f;
                const_cast<float*>(cache.k_tiles[s / 16])[i * kTile + s % 16] = key;
                const_cast<float*>(cache.v_tiles[s / 16])[s % 16 * 4 + i] = static_cast<float>(s == 20);
            }
        }
        const std::vector<float> q(4, 1.0f);
        for_each_instruction_set([&] {
            std::vector<float> scores = scratch(1, 33), out(4);
            attend(q.data(), 4, {cache.k_tiles.data(), 0}, {cache.v_tiles.data(), 0}, 33, scores.data(),
                   out.data());
            for (const float v : out) EXPECT_EQ(v, far ? 1.0f : 1.0f / 33.0f);
        });
    }
}

}  // namespace
}  // namespace mm
