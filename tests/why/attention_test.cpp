// Attention weights, K and V against PyTorch; old K and V against the same computed again.
#include "core/why/attention.hpp"

#include <gtest/gtest.h>

#include "tests/why/why_golden.hpp"

namespace mm::why {
namespace {

using test::WhyGolden;

class Looking : public testing::TestWithParam<const char*> {
  protected:
    WhyGolden golden{GetParam()};

    std::vector<TokenId> text() const {
        std::vector<TokenId> ids = test::ids_of(golden.json["prompt"]);
        for (const TokenId id : test::ids_of(golden.json["ids_control"])) ids.push_back(id);
        return ids;
    }
    std::size_t prompt_length() const { return golden.json["prompt"].size(); }
};

void expect_near(const Matrix& found, const Json& expected, double tolerance) {
    ASSERT_EQ(found.shape(0), expected.size());
    for (std::size_t r = 0; r < found.shape(0); ++r) {
        ASSERT_EQ(found.shape(1), expected[r].size());
        for (std::size_t c = 0; c < found.shape(1); ++c) {
            ASSERT_NEAR(found(r, c), expected[r][c].get<double>(), tolerance) << r << ", " << c;
        }
    }
}

TEST_P(Looking, WeightsKeysAndValuesAreAsInPyTorch) {
    for (const Json& expected : golden.json["attention"]) {
        const Attention found = run(attention_in_steps(golden.weights, test::ids_of(expected["ids"]),
                                                       expected["layer"].get<std::size_t>(),
                                                       expected["head"].get<std::size_t>()));
        expect_near(found.weights, expected["weights"], 1e-5);
        expect_near(found.k, expected["k"], 5e-5);
        expect_near(found.v, expected["v"], 5e-5);
    }
}

/// A text longer than what is fed between two rests: rows sum to 1 and see nothing later; pieces change no
/// bit.
TEST_P(Looking, RowsAreSharesOfEarlierTokens) {
    const std::vector<TokenId> ids = text();
    const Attention found = run(attention_in_steps(golden.weights, ids, 1, 2));
    reference::Cache cache(golden.weights.config);
    reference::Options options;
    options.watch = [&](std::size_t layer, const reference::Heads& weights) {
        if (layer != 1) return;
        for (std::size_t r = 0; r < ids.size(); ++r) {
            for (std::size_t c = 0; c < ids.size(); ++c)
                ASSERT_EQ(found.weights(r, c), weights(r, 2 % weights.shape(1), c));
        }
    };
    reference::forward(golden.weights, ids, cache, options);
    for (std::size_t r = 0; r < ids.size(); ++r) {
        double sum = 0;
        for (std::size_t c = 0; c < ids.size(); ++c) {
            EXPECT_TRUE(c <= r || found.weights(r, c) == 0);
            sum += double{found.weights(r, c)};
        }
        EXPECT_NEAR(sum, 1, 1e-5);
    }
}

TEST_P(Looking, OldKeysAndValuesStayToTheBit) {
    const OldKv found = run(old_kv_in_steps(golden.weights, text(), prompt_length(), 1, 0, true));
    const ModelConfig& c = golden.weights.config;
    EXPECT_EQ(found.bits,
              static_cast<std::uint64_t>(2 * c.num_hidden_layers * c.num_key_value_heads * c.head_dim * 32) *
                  text().size());
    EXPECT_EQ(found.bits_differing, 0U);
    EXPECT_EQ(found.largest_logit_difference, 0);
    EXPECT_EQ(found.next_with_cache, found.next_without_cache);
    EXPECT_TRUE(found.k_stored == found.k_again);
    EXPECT_TRUE(found.v_stored == found.v_again);
    EXPECT_EQ(found.k_stored.shape(0), text().size());
}

TEST_P(Looking, WithoutTheMaskTheyChangeAsInPyTorch) {
    const Json& expected = golden.json["without_mask"];
    const OldKv found = run(old_kv_in_steps(golden.weights, text(), prompt_length(), 1, 0, false));
    ASSERT_EQ(found.layers.size(), expected["layers"].size());
    // The first layer's K and V come from the embeddings alone.
    EXPECT_EQ(found.layers[0].bits_differing, 0U);
    for (std::size_t l = 1; l < found.layers.size(); ++l) {
        EXPECT_GT(found.layers[l].bits_differing, 0U);
        EXPECT_NEAR(found.layers[l].largest_k, expected["layers"][l][0].get<double>(), 1e-3);
        EXPECT_NEAR(found.layers[l].largest_v, expected["layers"][l][1].get<double>(), 1e-3);
    }
    EXPECT_NEAR(found.largest_logit_difference, expected["largest_logit_difference"].get<double>(), 1e-3);
    EXPECT_GT(found.largest_logit_difference, 0);
    EXPECT_FALSE(found.k_stored == found.k_again);
}

INSTANTIATE_TEST_SUITE_P(Models, Looking,
                         testing::Values("demo", "head_dim", "moe_top2", "minimind2", "minimind2_moe"));

TEST(Looking, RefusesWhatIsNotThere) {
    const WhyGolden golden("minimind2");
    const auto& w = golden.weights;
    EXPECT_THROW(static_cast<void>(attention_in_steps(w, {}, 0, 0)), Error);
    EXPECT_THROW(static_cast<void>(attention_in_steps(w, {256}, 0, 0)), Error);
    EXPECT_THROW(
        static_cast<void>(attention_in_steps(w, std::vector<TokenId>(kMostAttentionTokens + 1, 1), 0, 0)),
        Error);
    EXPECT_THROW(static_cast<void>(attention_in_steps(w, {1}, 2, 0)), Error);
    EXPECT_THROW(static_cast<void>(attention_in_steps(w, {1}, 0, 4)), Error);
    EXPECT_THROW(static_cast<void>(old_kv_in_steps(w, {1, 2}, 1, 0, 2, true)), Error);
    EXPECT_THROW(static_cast<void>(old_kv_in_steps(w, {1, 2}, 0, 0, 0, true)), Error);
    EXPECT_THROW(static_cast<void>(old_kv_in_steps(w, {1, 2}, 3, 0, 0, true)), Error);
}

}  // namespace
}  // namespace mm::why
