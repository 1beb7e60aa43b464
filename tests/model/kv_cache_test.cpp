// The cache's bookkeeping: sharing, forking, rewinding, copying, and what it says about its memory.
#include "core/model/kv_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "core/base/error.hpp"
#include "core/tensor/attention.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

// Counts what "allocates nothing" is about: every form of new ends in one of these two.
__attribute__((noinline)) void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
    std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
__attribute__((noinline)) void* operator new(std::size_t size, std::align_val_t alignment) {
    ++allocations;
    const auto a = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(a, (size + a - 1) / a * a)) return memory;
    throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace mm {
namespace {

ModelConfig config(std::int64_t layers, std::int64_t heads, std::int64_t head_dim) {
    ModelConfig c;
    c.num_hidden_layers = layers;
    c.num_key_value_heads = heads;
    c.head_dim = head_dim;
    return c;
}

std::uint64_t position_bytes(const ModelConfig& c) {
    return static_cast<std::uint64_t>(2 * c.num_hidden_layers * c.num_key_value_heads * c.head_dim * 4);
}

// A value that names where it was stored and by which token.
float mark(std::size_t token, std::size_t layer, std::size_t head, std::size_t i, bool value) {
    return static_cast<float>(((token * 7 + layer) * 5 + head) * 64 + i) * (value ? -1.0f : 1.0f);
}

void store_token(KvCache& cache, const ModelConfig& c, std::size_t row, std::size_t position,
                 std::size_t token) {
    const auto k = static_cast<std::size_t>(c.head_dim);
    std::vector<float> key(k), value(k);
    for (std::size_t l = 0; l < static_cast<std::size_t>(c.num_hidden_layers); ++l) {
        for (std::size_t g = 0; g < static_cast<std::size_t>(c.num_key_value_heads); ++g) {
            for (std::size_t i = 0; i < k; ++i) {
                key[i] = mark(token, l, g, i, false);
                value[i] = mark(token, l, g, i, true);
            }
            cache.store(row, l, g, position, key.data(), value.data());
        }
    }
}

// Looks through `load` and through the tile pointers.
void expect_tokens(const KvCache& cache, const ModelConfig& c, std::size_t row,
                   const std::vector<std::size_t>& tokens) {
    ASSERT_EQ(cache.length(), tokens.size());
    const auto k = static_cast<std::size_t>(c.head_dim);
    std::vector<float> key(k), value(k);
    for (std::size_t l = 0; l < static_cast<std::size_t>(c.num_hidden_layers); ++l) {
        for (std::size_t g = 0; g < static_cast<std::size_t>(c.num_key_value_heads); ++g) {
            const float* const* k_tiles = cache.k_tiles(row, l, g);
            const float* const* v_tiles = cache.v_tiles(row, l, g);
            for (std::size_t p = 0; p < tokens.size(); ++p) {
                cache.load(row, l, g, p, key.data(), value.data());
                ASSERT_EQ(reinterpret_cast<std::uintptr_t>(k_tiles[p / kTile]) % 64, 0u);
                for (std::size_t i = 0; i < k; ++i) {
                    ASSERT_EQ(key[i], mark(tokens[p], l, g, i, false)) << "row " << row << " position " << p;
                    ASSERT_EQ(value[i], mark(tokens[p], l, g, i, true)) << "row " << row << " position " << p;
                    ASSERT_EQ(k_tiles[p / kTile][i * kTile + p % kTile], key[i]);
                    ASSERT_EQ(v_tiles[p / kTile][p % kTile * k + i], value[i]);
                }
            }
        }
    }
}

// One cache driven beside lists of tokens, which say what every row must hold.
struct Driven {
    ModelConfig c;
    KvCache cache;
    std::vector<std::vector<std::size_t>> rows;
    std::size_t next = 1;

    Driven(const ModelConfig& with, std::size_t b) : c(with), cache(with, b), rows(b) {}

    void append(std::size_t count, bool per_row) {
        const std::size_t from = cache.length();
        cache.append(count, per_row);
        for (std::size_t p = from; p < from + count; ++p) {
            if (!per_row) ++next;
            for (std::size_t row = 0; row < rows.size(); ++row) {
                rows[row].push_back(per_row ? ++next : next);
                if (per_row || row == 0) store_token(cache, c, row, p, rows[row].back());
            }
        }
        check();
    }
    void rewind(std::size_t length) {
        cache.rewind(length);
        for (auto& row : rows) row.resize(length);
        check();
    }
    void check() const {
        for (std::size_t row = 0; row < rows.size(); ++row) expect_tokens(cache, c, row, rows[row]);
        EXPECT_GE(cache.bytes_reserved(), cache.bytes_used());
    }
};

TEST(KvCache, StartsEmptyAndGrowsWithItsTokens) {
    const ModelConfig c = config(3, 2, 12);
    Driven d(c, 1);
    EXPECT_EQ(d.cache.bytes_used(), 0u);
    EXPECT_EQ(d.cache.bytes_reserved(), 0u);
    for (const std::size_t count : {1u, 15u, 1u, 30u, 16u, 33u}) {
        d.append(count, false);
        EXPECT_EQ(d.cache.bytes_used(), d.cache.length() * position_bytes(c));
        EXPECT_EQ(d.cache.bytes_reserved(), (d.cache.length() + 15) / 16 * 16 * position_bytes(c));
        EXPECT_EQ(d.cache.k_shape(),
                  (std::array<std::int64_t, 4>{1, static_cast<std::int64_t>(d.cache.length()), 2, 12}));
    }
}

TEST(KvCache, CountsOnlyWhatWasStored) {
    const ModelConfig c = config(2, 3, 8);
    KvCache cache(c);
    cache.append(5, false);
    EXPECT_EQ(cache.bytes_used(), 0u);
    store_token(cache, c, 0, 2, 1);
    store_token(cache, c, 0, 2, 4);
    EXPECT_EQ(cache.bytes_used(), position_bytes(c));
}

TEST(KvCache, TilesNeverMove) {
    const ModelConfig c = config(2, 2, 16);
    Driven d(c, 3);
    d.append(20, false);
    const float* first = d.cache.k_tiles(1, 1, 1)[0];
    d.append(500, false);
    EXPECT_EQ(d.cache.k_tiles(1, 1, 1)[0], first);
    d.append(500, true);
    for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ(d.cache.k_tiles(row, 1, 1)[0], first);
}

TEST(KvCache, RowsShareTheWholeTilesOfTheirPrompt) {
    const ModelConfig c = config(2, 2, 16);
    for (const std::size_t prompt : {0u, 1u, 15u, 16u, 17u, 48u, 50u}) {
        Driven d(c, 5);
        if (prompt > 0) d.append(prompt, false);
        EXPECT_FALSE(d.cache.forked());
        EXPECT_EQ(d.cache.bytes_used(), prompt * position_bytes(c));
        d.append(3, true);
        EXPECT_TRUE(d.cache.forked());
        EXPECT_EQ(d.cache.bytes_used(), (prompt / 16 * 16 + 5 * (prompt % 16 + 3)) * position_bytes(c));
        d.append(40, true);
        EXPECT_THROW(d.cache.append(1, false), Error);
        d.check();
    }
}

TEST(KvCache, OneRowNeverForks) {
    Driven d(config(1, 1, 4), 1);
    d.append(10, true);
    EXPECT_FALSE(d.cache.forked());
    d.append(10, false);
    d.append(10, true);
}

TEST(KvCache, RewindsToEveryLengthAndGoesOn) {
    const ModelConfig c = config(1, 2, 4);
    for (const std::size_t prompt : {0u, 5u, 16u, 21u, 32u}) {
        for (std::size_t to = 0; to <= prompt + 20; ++to) {
            Driven d(c, 3);
            if (prompt > 0) d.append(prompt, false);
            d.append(20, true);
            d.rewind(to);
            EXPECT_EQ(d.cache.forked(), to > prompt) << prompt << " " << to;
            const std::size_t shared = to > prompt ? prompt / 16 * 16 : to;
            EXPECT_EQ(d.cache.bytes_used(), (shared + 3 * (to - shared)) * position_bytes(c));
            const std::uint64_t reserved = d.cache.bytes_reserved();
            if (!d.cache.forked()) d.append(4, false);
            d.append(18, true);
            EXPECT_LE(d.cache.bytes_reserved(), std::max(reserved, 3 * 64 * position_bytes(c)));
        }
    }
}

TEST(KvCache, RefusesToRewindForward) {
    Driven d(config(1, 1, 4), 1);
    d.append(3, false);
    EXPECT_THROW(d.cache.rewind(4), Error);
    d.rewind(3);
}

TEST(KvCache, CopiesShareNothing) {
    for (const bool fork : {false, true}) {
        Driven d(config(2, 1, 4), 3);
        d.append(21, false);
        if (fork) d.append(7, true);
        const KvCache before = d.cache.copy();
        const auto rows = d.rows;
        EXPECT_EQ(before.bytes_used(), d.cache.bytes_used());
        EXPECT_EQ(before.forked(), fork);
        d.rewind(fork ? 22 : 3);
        d.append(9, true);
        for (std::size_t row = 0; row < 3; ++row) expect_tokens(before, d.c, row, rows[row]);
        Driven other(d.c, 3);
        other.cache = before.copy();
        other.rows = rows;
        other.next = 1000;
        other.append(12, true);
        other.rewind(21);
        EXPECT_FALSE(other.cache.forked());
        for (std::size_t row = 0; row < 3; ++row) expect_tokens(before, d.c, row, rows[row]);
        d.check();
    }
}

TEST(KvCache, MovesCarryEverything) {
    Driven d(config(2, 1, 4), 2);
    d.append(21, false);
    d.append(2, true);
    KvCache moved(std::move(d.cache));
    d.cache = std::move(moved);
    d.check();
}

TEST(KvCache, AppendsWithoutAllocatingAfterReserve) {
    const ModelConfig c = config(2, 2, 8);
    std::vector<float> row(8, 1.0f);
    for (const std::size_t rows : {1u, 4u}) {
        KvCache cache(c, rows);
        cache.append(21, false);
        cache.reserve(100, true);
        const std::uint64_t reserved = cache.bytes_reserved();
        allocations = 0;
        for (int i = 0; i < 100; ++i) {
            cache.append(1, true);
            cache.store(rows - 1, 1, 1, cache.length() - 1, row.data(), row.data());
        }
        cache.rewind(25);
        cache.append(96, true);
        cache.rewind(2);
        cache.append(19, false);
        cache.append(100, true);
        EXPECT_EQ(allocations, 0u);
        EXPECT_EQ(cache.bytes_reserved(), reserved);
    }
}

TEST(KvCache, RefusesDimensionsThatCannotBe) {
    EXPECT_THROW(KvCache(config(0, 1, 4)), Error);
    EXPECT_THROW(KvCache(config(1, -1, 4)), Error);
    EXPECT_THROW(KvCache(config(1, 1, 0)), Error);
    EXPECT_THROW(KvCache(config(1, 1, 4), 0), Error);
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    EXPECT_THROW(KvCache(config(huge, huge, huge)), Error);
    KvCache cache(config(1, 1, 4));
    cache.append(3, false);
    EXPECT_THROW(cache.append(std::numeric_limits<std::size_t>::max(), false), std::bad_alloc);
    EXPECT_EQ(cache.length(), 3u);
}

}  // namespace
}  // namespace mm
