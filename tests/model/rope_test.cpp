// Rotary frequencies against PyTorch's, and the growing table of cos and sin.
#include "core/model/rope.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "core/tensor/half.hpp"
#include "tests/model/golden_case.hpp"

namespace mm {
namespace {

ModelConfig small_config(std::int64_t head_dim) {
    ModelConfig c;
    c.vocab_size = c.hidden_size = c.intermediate_size = 8;
    c.num_hidden_layers = c.num_attention_heads = c.num_key_value_heads = 1;
    c.head_dim = head_dim;
    return c;
}

class Distance {
  public:
    /// Counts entries that differ from PyTorch's bits; a difference of more than 2 ulp is a failure.
    void add(const std::vector<float>& found, const Json& expected, const char* what) {
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i, ++entries) {
            const auto bits = expected[i].get<std::int64_t>();
            const std::int64_t apart = std::abs(bits - std::int64_t{bits_from_float(found[i])});
            EXPECT_LE(apart, 2) << what << ", entry " << i;
            different += apart != 0 ? 1 : 0;
        }
    }
    std::size_t entries = 0;
    std::size_t different = 0;
};

TEST(RopeFrequencies, ArePyTorchsWithinItsOwnRounding) {
    const Json golden = Json::parse(test::read_text(test::kGolden / "rope_frequencies.json"));
    Distance plain, yarn, other;
    for (const Json& entry : golden["entries"]) {
        ModelConfig c = small_config(entry["head_dim"]);
        c.rope_theta = entry["rope_theta"];
        plain.add(rope_frequencies(c), entry["plain"], "plain");
        c.rope_scaling = RopeScaling{};
        yarn.add(rope_frequencies(c), entry["yarn"], "yarn");
        const Json& o = golden["other"];
        c.max_position_embeddings = o["positions"];
        c.rope_scaling = RopeScaling{.beta_fast = o["beta_fast"],
                                     .beta_slow = o["beta_slow"],
                                     .factor = o["factor"],
                                     .original_max_position_embeddings = o["original"]};
        other.add(rope_frequencies(c), entry["yarn_other"], "yarn_other");
    }
    // PyTorch's float pow is off by an ulp or two in these entries, ours is correctly rounded (next test).
    for (const Distance* d : {&plain, &yarn, &other}) {
        EXPECT_EQ(d->entries, 2334U);
        EXPECT_LE(d->different, d->entries / 50);
    }
}

TEST(RopeFrequencies, AreTheCorrectlyRoundedPower) {
    for (const double theta : {10.0, 1e4, 123456.789, 5e5, 1e6, 1e9}) {
        for (std::int64_t head_dim = 2; head_dim <= 256; head_dim += 2) {
            ModelConfig c = small_config(head_dim);
            c.rope_theta = theta;
            const std::vector<float> found = rope_frequencies(c);
            for (std::size_t i = 0; i < found.size(); ++i) {
                const float exponent = static_cast<float>(2 * i) / static_cast<float>(head_dim);
                const long double power = std::pow(static_cast<long double>(static_cast<float>(theta)),
                                                   static_cast<long double>(exponent));
                EXPECT_EQ(found[i], 1.0f / static_cast<float>(power))
                    << theta << ", " << head_dim << ", " << i;
            }
        }
    }
}

TEST(RopeFrequencies, YarnOnlyPastTheOriginalContext) {
    ModelConfig c = small_config(32);
    const std::vector<float> plain = rope_frequencies(c);
    c.rope_scaling = RopeScaling{};
    EXPECT_NE(rope_frequencies(c), plain);
    c.max_position_embeddings = 2048;
    EXPECT_EQ(rope_frequencies(c), plain);
}

TEST(RopeTable, HoldsCosAndSinOfTheFloat32Angle) {
    ModelConfig c = small_config(20);
    c.rope_scaling = RopeScaling{.attention_factor = 1.25};
    const RopeTable table(c);
    table.ensure(5000);
    for (const std::size_t position : {0UL, 1UL, 63UL, 64UL, 191UL, 192UL, 193UL, 448UL, 4999UL}) {
        for (std::size_t i = 0; i < 10; ++i) {
            const float angle = static_cast<float>(position) * table.frequencies()[i];
            EXPECT_EQ(table.cos(position)[i], static_cast<float>(std::cos(double{angle})) * 1.25f)
                << position;
            EXPECT_EQ(table.sin(position)[i], static_cast<float>(std::sin(double{angle})) * 1.25f)
                << position;
        }
    }
}

#ifndef __EMSCRIPTEN__  // built there without threads
TEST(RopeTable, GrowsUnderReaders) {
    const RopeTable table(small_config(16));
    RopeTable reference(small_config(16));
    reference.ensure(3000);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::size_t stride : {1UL, 3UL, 7UL}) {
        threads.emplace_back([&, stride] {
            for (std::size_t p = 0; p < 3000; p += stride) {
                table.ensure(p + 1);
                if (!test::same_bits(table.cos(p), reference.cos(p), 16)) ++wrong;  // cos and sin
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}
#endif

}  // namespace
}  // namespace mm
