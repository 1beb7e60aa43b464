// Model::forward against a plain double-precision forward pass, on random models of awkward dimensions.
#include <gtest/gtest.h>

#include <cmath>

#include "core/model/model.hpp"
#include "tests/model/naive_model.hpp"
#include "tests/model/synthetic_model.hpp"

namespace mm {
namespace {

using test::NaiveModel;
using test::SyntheticCheckpoint;

/// A small random architecture; over some seeds every switch is seen in both positions.
ModelConfig random_config(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::initializer_list<std::int64_t> values) {
        return values.begin()[random() % values.size()];
    };
    ModelConfig c;
    c.num_key_value_heads = pick({1, 2, 3});
    c.num_attention_heads = c.num_key_value_heads * pick({1, 2, 3});
    c.head_dim = pick({2, 6, 8, 10, 20, 34});
    c.qk_norm = pick({0, 1, 1}) != 0;
    c.hidden_size = c.qk_norm ? pick({7, 16, 30, 120}) : c.num_attention_heads * c.head_dim;
    c.intermediate_size = pick({5, 16, 33, 65});
    c.vocab_size = pick({3, 17, 64, 257});
    c.num_hidden_layers = pick({1, 2, 3});
    c.rms_norm_eps = c.qk_norm ? 1e-6 : 1e-5;
    c.rope_theta = static_cast<double>(pick({10000, 500000, 1000000}));
    c.tie_word_embeddings = pick({0, 1}) != 0;
    c.use_moe = pick({0, 1}) != 0;
    if (c.use_moe) {
        c.num_experts = pick({1, 3, 4, 7});
        c.num_experts_per_tok = std::min(c.num_experts, pick({1, 2, 3}));
        c.norm_topk_prob = pick({0, 1}) != 0;
        if (!c.qk_norm) c.num_shared_experts = pick({0, 1, 2});
    }
    if (pick({0, 0, 1}) != 0) {
        c.rope_scaling = RopeScaling{};
        c.rope_scaling->factor = static_cast<double>(pick({2, 16}));
        c.rope_scaling->attention_factor = pick({0, 1}) != 0 ? 1.0 : 1.25;
        c.rope_scaling->original_max_position_embeddings = pick({64, 2048, 32768});
    }
    return c;
}

class Naive : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Naive, LogitsAgree) {
    const ModelConfig said = random_config(GetParam());
    const SyntheticCheckpoint checkpoint(said, GetParam());
    const TensorTable table = checkpoint.table();
    const Json constants = {{"num_attention_heads", said.num_attention_heads},
                            {"num_experts_per_tok", said.num_experts_per_tok},
                            {"norm_topk_prob", said.norm_topk_prob},
                            {"rope_theta", said.rope_theta}};
    ModelConfig config = ModelConfig::from_checkpoint(table, &constants, "constants.json", {});
    EXPECT_EQ(config.head_dim, said.head_dim);
    EXPECT_EQ(config.num_key_value_heads, said.num_key_value_heads);
    EXPECT_EQ(config.qk_norm, said.qk_norm);
    EXPECT_EQ(config.num_experts, said.num_experts);
    EXPECT_EQ(config.num_shared_experts, said.num_shared_experts);
    EXPECT_EQ(config.tie_word_embeddings, said.tie_word_embeddings);
    EXPECT_EQ(config.rms_norm_eps, said.rms_norm_eps);
    EXPECT_EQ(config.parameter_count(), said.parameter_count());
    config.rope_scaling = said.rope_scaling;

    std::uint64_t parameters = 0;
    for (const auto& entry : table.entries()) parameters += static_cast<std::uint64_t>(entry.view.numel());
    EXPECT_EQ(config.parameter_count(), parameters);

    const Model model(table, config, std::make_shared<ThreadPool>(1 + GetParam() % 2));
    std::mt19937 random(GetParam() + 1000);
    std::vector<TokenId> ids(1 + random() % 40);
    for (TokenId& id : ids)
        id = static_cast<TokenId>(random() % static_cast<std::uint32_t>(config.vocab_size));

    const NaiveModel::Rows expected = NaiveModel(checkpoint, config).forward(ids);
    KvCache cache(config);
    Workspace workspace;
    Matrix logits;
    model.forward({ids}, cache, LogitsFor::all, logits, workspace);
    double largest = 0;
    for (std::size_t t = 0; t < ids.size(); ++t) {
        for (std::size_t v = 0; v < expected[t].size(); ++v) {
            ASSERT_TRUE(std::isfinite(expected[t][v]));
            largest = std::max(largest, std::abs(expected[t][v] - double{logits(t, v)}));
        }
    }
    RecordProperty("largest_difference", std::to_string(largest));
    EXPECT_LE(largest, 2e-4);
}

INSTANTIATE_TEST_SUITE_P(Random, Naive, testing::Range(0u, 60u));

TEST(Naive, TiedExpertsGoToTheLowerIndex) {
    ModelConfig c;
    c.vocab_size = 11;
    c.hidden_size = 8;
    c.num_hidden_layers = 1;
    c.num_attention_heads = c.num_key_value_heads = 1;
    c.head_dim = 4;
    c.intermediate_size = 6;
    c.use_moe = true;
    c.num_experts = 4;
    c.num_experts_per_tok = 2;
    SyntheticCheckpoint checkpoint(c, 5);
    checkpoint.fill("model.layers.0.mlp.gate.weight", {4, 8}, 0.5f);  // every expert equally probable
    const Model model(checkpoint.table(), c, std::make_shared<ThreadPool>(1));
    const std::vector<TokenId> ids = {3, 1, 4};
    const NaiveModel::Rows expected = NaiveModel(checkpoint, c).forward(ids);  // stable sort: experts 0 and 1
    KvCache cache(c);
    Workspace workspace;
    Matrix logits;
    model.forward({ids}, cache, LogitsFor::all, logits, workspace);
    for (std::size_t t = 0; t < ids.size(); ++t) {
        for (std::size_t v = 0; v < 11; ++v) EXPECT_NEAR(expected[t][v], double{logits(t, v)}, 1e-4);
    }
}

}  // namespace
}  // namespace mm
