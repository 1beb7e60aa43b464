// The fast path against the reference forward, bit for bit: on random models of awkward dimensions and on
// every golden.
#include "core/reference/forward.hpp"

#include <gtest/gtest.h>

#include "core/model/model.hpp"
#include "tests/model/golden_case.hpp"
#include "tests/model/synthetic_model.hpp"

namespace mm {
namespace {

using test::GoldenCase;
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

std::vector<TokenId> random_ids(std::uint32_t seed, std::size_t count, std::int64_t vocab) {
    std::mt19937 random(seed);
    std::vector<TokenId> ids(count);
    for (TokenId& id : ids) id = static_cast<TokenId>(random() % static_cast<std::uint32_t>(vocab));
    return ids;
}

Matrix fast_logits(const Model& model, const std::vector<TokenId>& ids, KvCache& cache) {
    Workspace workspace;
    Matrix logits;
    model.forward({ids}, cache, LogitsFor::all, logits, workspace);
    return logits;
}

/// In one call, and token by token into a cache; afterwards both caches hold the same.
void expect_same_bits(const Model& model, const std::vector<TokenId>& ids) {
    KvCache fast_cache(model.config());
    const Matrix expected = fast_logits(model, ids, fast_cache);
    const reference::Weights weights(model);
    reference::Cache at_once(model.config());
    EXPECT_TRUE(reference::logits(weights, reference::forward(weights, ids, at_once)) == expected);

    reference::Cache cache(model.config());
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const Matrix row = reference::logits(weights, reference::forward(weights, {&ids[t], 1}, cache));
        ASSERT_TRUE(test::same_bits(row.data(), &expected(t, 0), row.size())) << "position " << t;
    }
    ASSERT_EQ(cache.length(), ids.size());
    const std::size_t head_dim = cache.layers[0].k.shape(2);
    std::vector<float> k(head_dim), v(head_dim);
    for (std::size_t l = 0; l < cache.layers.size(); ++l) {
        const reference::LayerCache& layer = cache.layers[l];
        EXPECT_TRUE(layer.k == at_once.layers[l].k);
        EXPECT_TRUE(layer.v == at_once.layers[l].v);
        for (std::size_t s = 0; s < ids.size(); ++s) {
            for (std::size_t g = 0; g < layer.k.shape(1); ++g) {
                fast_cache.load(l, g, s, k.data(), v.data());
                ASSERT_TRUE(test::same_bits(k.data(), &layer.k(s, g, 0), head_dim));
                ASSERT_TRUE(test::same_bits(v.data(), &layer.v(s, g, 0), head_dim));
            }
        }
    }
}

class Random : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Random, SameBits) {
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
    for (const auto& entry : table.entries()) parameters += static_cast<std::uint64_t>(entry.view->numel());
    EXPECT_EQ(config.parameter_count(), parameters);

    const Model model(table, config, std::make_shared<ThreadPool>(1 + GetParam() % 2));
    expect_same_bits(model, random_ids(GetParam() + 1000, 1 + GetParam() * 7 % 40, config.vocab_size));
}

INSTANTIATE_TEST_SUITE_P(Models, Random, testing::Range(0u, 60u));

/// The reference reads what the fast path has packed: it must be what the checkpoint holds.
TEST_P(Random, WeightsAreTheCheckpoints) {
    const ModelConfig config = random_config(GetParam());
    const SyntheticCheckpoint checkpoint(config, GetParam());
    const Model model(checkpoint.table(), config, std::make_shared<ThreadPool>(1));
    const reference::Weights weights(model);
    std::size_t compared = 0;
    const auto expect_matrix = [&](const Matrix& found, const std::string& name) {
        const auto& tensor = checkpoint.at(name);
        ASSERT_EQ(found.size(), tensor.values.size()) << name;
        for (std::size_t n = 0; n < found.shape(1); ++n) {
            for (std::size_t k = 0; k < found.shape(0); ++k) {
                ASSERT_EQ(found(k, n), tensor.values[n * found.shape(0) + k]) << name;
            }
        }
        ++compared;
    };
    const auto expect_values = [&](const auto& found, const std::string& name) {
        EXPECT_TRUE(std::equal(found.begin(), found.end(), checkpoint.at(name).values.begin(),
                               checkpoint.at(name).values.end()))
            << name;
        ++compared;
    };
    const auto expect_gated = [&](const reference::FeedForward& found, const std::string& prefix) {
        expect_matrix(found.gate_proj, prefix + "gate_proj.weight");
        expect_matrix(found.up_proj, prefix + "up_proj.weight");
        expect_matrix(found.down_proj, prefix + "down_proj.weight");
    };
    expect_values(weights.embed_tokens, "model.embed_tokens.weight");
    for (std::size_t l = 0; l < weights.layers.size(); ++l) {
        const std::string prefix = "model.layers." + std::to_string(l) + ".";
        const reference::Layer& layer = weights.layers[l];
        expect_values(layer.input_layernorm, prefix + "input_layernorm.weight");
        expect_values(layer.post_attention_layernorm, prefix + "post_attention_layernorm.weight");
        expect_matrix(layer.q_proj, prefix + "self_attn.q_proj.weight");
        expect_matrix(layer.k_proj, prefix + "self_attn.k_proj.weight");
        expect_matrix(layer.v_proj, prefix + "self_attn.v_proj.weight");
        expect_matrix(layer.o_proj, prefix + "self_attn.o_proj.weight");
        if (config.qk_norm) {
            expect_values(layer.q_norm, prefix + "self_attn.q_norm.weight");
            expect_values(layer.k_norm, prefix + "self_attn.k_norm.weight");
        }
        if (!config.use_moe) {
            expect_gated(layer.experts.at(0), prefix + "mlp.");
            continue;
        }
        expect_matrix(layer.router, prefix + "mlp.gate.weight");
        for (std::size_t e = 0; e < layer.experts.size(); ++e) {
            expect_gated(layer.experts[e], prefix + "mlp.experts." + std::to_string(e) + ".");
        }
        for (std::size_t e = 0; e < layer.shared_experts.size(); ++e) {
            expect_gated(layer.shared_experts[e], prefix + "mlp.shared_experts." + std::to_string(e) + ".");
        }
    }
    expect_values(weights.norm, "model.norm.weight");
    expect_matrix(weights.lm_head,
                  config.tie_word_embeddings ? "model.embed_tokens.weight" : "lm_head.weight");
    // A tied head is the embedding once more.
    EXPECT_EQ(compared, checkpoint.table().entries().size() + (config.tie_word_embeddings ? 1 : 0));
}

TEST(Reference, TiedExpertsGoToTheLowerIndex) {
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
    expect_same_bits(model, ids);
    // The two that lose the tie take no part.
    reference::Weights weights(model);
    reference::Cache before(c), after(c);
    const Matrix states = reference::forward(weights, ids, before);
    weights.layers[0].experts[2] = weights.layers[0].experts[3] = {};
    for (const std::size_t e : {std::size_t{2}, std::size_t{3}}) {
        weights.layers[0].experts[e] = {xt::zeros<float>({8, 6}), xt::zeros<float>({8, 6}),
                                        xt::zeros<float>({6, 8})};
    }
    EXPECT_TRUE(reference::forward(weights, ids, after) == states);
}

class Goldens : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Goldens, SameBits) {
    const GoldenCase golden(GetParam());
    const Model model = golden.model(2);
    expect_same_bits(model, test::ids_of(golden.json["prompt"]));
    for (const Json& prompt : golden.json["top_p"]["prompts"])
        expect_same_bits(model, test::ids_of(prompt["ids"]));
}

INSTANTIATE_TEST_SUITE_P(Cases, Goldens, testing::ValuesIn(test::case_folders()), test::case_name);

}  // namespace
}  // namespace mm
