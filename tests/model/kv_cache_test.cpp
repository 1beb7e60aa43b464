// The cache's bookkeeping: sharing, copying, rewinding, and what it says about its memory.
#include "core/model/kv_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "core/base/error.hpp"
#include "core/tensor/attention.hpp"

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
std::size_t allocations = 0;
std::size_t fail_after = kNever;  // allocations that still succeed

void count_allocation() {
    ++allocations;
    if (fail_after == 0) throw std::bad_alloc();
    if (fail_after != kNever) --fail_after;
}

}  // namespace

// Counts what "allocates nothing" is about: every form of new ends in one of these two.
__attribute__((noinline)) void* operator new(std::size_t size) {
    count_allocation();
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
    count_allocation();
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

void store_token(KvCache& cache, const ModelConfig& c, std::size_t position, std::size_t token) {
    const auto k = static_cast<std::size_t>(c.head_dim);
    std::vector<float> key(k), value(k);
    for (std::size_t l = 0; l < static_cast<std::size_t>(c.num_hidden_layers); ++l) {
        for (std::size_t g = 0; g < static_cast<std::size_t>(c.num_key_value_heads); ++g) {
            for (std::size_t i = 0; i < k; ++i) {
                key[i] = mark(token, l, g, i, false);
                value[i] = mark(token, l, g, i, true);
            }
            cache.store(l, g, position, key.data(), value.data());
        }
    }
}

// Looks through `load` and through the tiles.
void expect_tokens(const KvCache& cache, const ModelConfig& c, const std::vector<std::size_t>& tokens) {
    ASSERT_EQ(cache.length(), tokens.size());
    const auto k = static_cast<std::size_t>(c.head_dim);
    std::vector<float> key(k), value(k);
    for (std::size_t l = 0; l < static_cast<std::size_t>(c.num_hidden_layers); ++l) {
        for (std::size_t g = 0; g < static_cast<std::size_t>(c.num_key_value_heads); ++g) {
            const Tiles keys = cache.k_tiles(l, g), values = cache.v_tiles(l, g);
            for (std::size_t p = 0; p < tokens.size(); ++p) {
                cache.load(l, g, p, key.data(), value.data());
                const float* k_tile = keys.buffers[p / kTile] + keys.offset;
                const float* v_tile = values.buffers[p / kTile] + values.offset;
                ASSERT_EQ(reinterpret_cast<std::uintptr_t>(k_tile) % 64, 0u);
                for (std::size_t i = 0; i < k; ++i) {
                    ASSERT_EQ(key[i], mark(tokens[p], l, g, i, false)) << "position " << p;
                    ASSERT_EQ(value[i], mark(tokens[p], l, g, i, true)) << "position " << p;
                    ASSERT_EQ(k_tile[i * kTile + p % kTile], key[i]);
                    ASSERT_EQ(v_tile[p % kTile * k + i], value[i]);
                }
            }
        }
    }
}

// A batch driven beside lists of tokens, which say what every row must hold.
struct Driven {
    ModelConfig c;
    std::vector<KvCache> batch;
    std::vector<std::vector<std::size_t>> rows;
    std::size_t next = 1;

    explicit Driven(const ModelConfig& with) : c(with), rows(1) { batch.emplace_back(with); }

    void append(std::size_t row, std::size_t count) {
        const std::size_t from = batch[row].length();
        batch[row].append(count);
        for (std::size_t p = from; p < from + count; ++p) {
            rows[row].push_back(++next);
            store_token(batch[row], c, p, next);
        }
        check();
    }
    void append_each(std::size_t count) {
        for (std::size_t row = 0; row < batch.size(); ++row) append(row, count);
    }
    void copy(std::size_t row) {
        batch.push_back(batch[row].copy());
        rows.push_back(rows[row]);
        check();
    }
    void rewind(std::size_t row, std::size_t length) {
        batch[row].rewind(length);
        rows[row].resize(length);
        check();
    }
    void check() const {
        for (std::size_t row = 0; row < rows.size(); ++row) expect_tokens(batch[row], c, rows[row]);
        EXPECT_GE(KvCache::bytes_reserved(batch), KvCache::bytes_used(batch));
    }
};

TEST(KvCache, StartsEmptyAndGrowsWithItsTokens) {
    const ModelConfig c = config(3, 2, 12);
    Driven d(c);
    const KvCache& cache = d.batch.front();
    EXPECT_EQ(cache.bytes_used(), 0u);
    EXPECT_EQ(cache.bytes_reserved(), 0u);
    for (const std::size_t count : {1u, 15u, 1u, 30u, 16u, 33u}) {
        d.append(0, count);
        EXPECT_EQ(cache.bytes_used(), cache.length() * position_bytes(c));
        EXPECT_EQ(cache.bytes_reserved(), (cache.length() + 15) / 16 * 16 * position_bytes(c));
        EXPECT_EQ(cache.k_shape(),
                  (std::array<std::int64_t, 4>{1, static_cast<std::int64_t>(cache.length()), 2, 12}));
    }
}

TEST(KvCache, BuffersNeverMove) {
    Driven d(config(2, 2, 16));
    d.append(0, 20);
    const float* first = d.batch[0].k_tiles(1, 1).buffers[0];
    d.append(0, 500);
    EXPECT_EQ(d.batch[0].k_tiles(1, 1).buffers[0], first);
    d.copy(0);
    EXPECT_EQ(d.batch[1].k_tiles(1, 1).buffers[0], first) << "a full buffer is shared";
}

TEST(KvCache, CopiesShareTheFullBuffersOfTheirPrompt) {
    const ModelConfig c = config(2, 2, 16);
    for (const std::size_t prompt : {0u, 1u, 15u, 16u, 17u, 48u, 50u}) {
        Driven d(c);
        d.append(0, prompt);
        for (int copies = 0; copies < 4; ++copies) d.copy(0);
        d.append_each(3);
        EXPECT_EQ(KvCache::bytes_used(d.batch),
                  (prompt / 16 * 16 + 5 * (prompt % 16 + 3)) * position_bytes(c));
        d.append_each(40);
        EXPECT_EQ(d.batch[3].bytes_used(), (prompt + 43) * position_bytes(c)) << "alone, a row counts all";
    }
}

TEST(KvCache, ThirtyRowsHoldTheirPromptOnce) {
    const ModelConfig c = config(1, 1, 4);
    Driven d(c);
    d.append(0, 160);
    const std::uint64_t prompt = d.batch[0].bytes_reserved();
    while (d.batch.size() < 30) d.copy(0);
    EXPECT_EQ(KvCache::bytes_reserved(d.batch), prompt);
    d.append_each(1);
    EXPECT_EQ(KvCache::bytes_used(d.batch), prompt + 30 * position_bytes(c));
    EXPECT_EQ(KvCache::bytes_reserved(d.batch), prompt + 30 * 16 * position_bytes(c));
}

TEST(KvCache, RewindsToEveryLengthAndGoesOn) {
    const ModelConfig c = config(1, 2, 4);
    for (const std::size_t prompt : {0u, 5u, 16u, 21u, 32u}) {
        for (std::size_t to = 0; to <= prompt + 20; ++to) {
            Driven d(c);
            d.append(0, prompt);
            d.copy(0);
            d.copy(1);
            d.append_each(20);
            const std::uint64_t reserved = KvCache::bytes_reserved(d.batch);
            d.rewind(1, to);  // one row alone: the others keep what it shared
            EXPECT_EQ(d.batch[1].bytes_used(), to * position_bytes(c));
            EXPECT_EQ(d.batch[0].bytes_used(), (prompt + 20) * position_bytes(c));
            for (const std::size_t row : {0u, 2u}) d.rewind(row, to);
            d.append_each(18);
            d.rewind(2, 0);
            d.append(2, 40);
            EXPECT_LE(d.batch[0].bytes_reserved(), reserved);
        }
    }
}

TEST(KvCache, RefusesToRewindForward) {
    Driven d(config(1, 1, 4));
    d.append(0, 3);
    EXPECT_THROW(d.batch[0].rewind(4), Error);
    d.rewind(0, 3);
}

TEST(KvCache, ACopyOutlivesItsOrigin) {
    Driven d(config(2, 1, 4));
    d.append(0, 37);
    d.copy(0);
    d.batch[0] = KvCache(d.c);
    d.rows[0].clear();
    d.append_each(20);
}

TEST(KvCache, MovesCarryEverything) {
    Driven d(config(2, 1, 4));
    d.append(0, 23);
    KvCache moved(std::move(d.batch[0]));
    d.batch[0] = std::move(moved);
    d.append(0, 2);
}

TEST(KvCache, AllocatesOnceInSixteenPositions) {
    KvCache cache(config(2, 2, 8));
    std::size_t steps = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        allocations = 0;
        cache.append(1);
        steps += allocations > 0;
        EXPECT_EQ(allocations > 0, i % 16 == 0);
    }
    EXPECT_EQ(steps, 63u);
}

// Whatever allocation fails, and whether in append, copy or rewind: the cache is as before, and goes on.
TEST(KvCache, OutOfMemoryLeavesItAsItWas) {
    const auto with_failure_at = [](std::size_t n, const auto& work) {
        fail_after = n;
        bool failed = false;
        try {
            work();
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        fail_after = kNever;
        return failed;
    };
    std::size_t failures = 0;
    for (std::size_t n = 0; n < 12; ++n) {
        Driven d(config(1, 2, 4));
        d.append(0, 37);
        const std::uint64_t reserved = d.batch[0].bytes_reserved();
        failures += with_failure_at(n, [&] {
            d.batch[0].append(60);
            d.batch[0].rewind(37);
        });
        d.check();
        EXPECT_EQ(d.batch[0].bytes_reserved(), reserved);
        failures += with_failure_at(n, [&] { d.batch[0].copy(); });
        d.check();
        d.copy(0);
        if (with_failure_at(n, [&] { d.batch[1].rewind(5); })) {
            ++failures;
            d.check();
        } else {
            d.rewind(1, 5);
        }
        d.append_each(30);
    }
    EXPECT_GT(failures, 12u);
}

TEST(KvCache, RefusesDimensionsThatCannotBe) {
    EXPECT_THROW(KvCache(config(0, 1, 4)), Error);
    EXPECT_THROW(KvCache(config(1, -1, 4)), Error);
    EXPECT_THROW(KvCache(config(1, 1, 0)), Error);
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    EXPECT_THROW(KvCache(config(huge, huge, huge)), Error);
    KvCache cache(config(1, 1, 4));
    cache.append(3);
    EXPECT_THROW(cache.append(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
    EXPECT_EQ(cache.length(), 3u);
}

}  // namespace
}  // namespace mm
