// ModelConfig read from a checkpoint's shapes alone: every kind of model, and what is wrong with one named.
#include <cmath>
#include <map>

#include "tests/model/golden_case.hpp"
#include "tests/model/small_configs.hpp"

namespace mm {
namespace {

using namespace test;

TEST(ConfigFromShapes, Dense) {
    const ModelConfig c = read(SyntheticCheckpoint(small(), 1));
    EXPECT_EQ(c.vocab_size, 30);
    EXPECT_EQ(c.hidden_size, 12);
    EXPECT_EQ(c.num_hidden_layers, 2);
    EXPECT_EQ(c.num_attention_heads, 4);
    EXPECT_EQ(c.num_key_value_heads, 2);
    EXPECT_EQ(c.head_dim, 6);
    EXPECT_EQ(c.intermediate_size, 10);
    EXPECT_TRUE(c.tie_word_embeddings);
    EXPECT_TRUE(c.qk_norm);
    EXPECT_FALSE(c.use_moe);
    EXPECT_EQ(c.rope_theta, 1e6);
    EXPECT_EQ(c.rms_norm_eps, 1e-6);
    EXPECT_EQ(c.max_position_embeddings, 32768);
    EXPECT_FALSE(c.rope_scaling);
    EXPECT_EQ(c.architecture(), "minimind-3");
}

TEST(ConfigFromShapes, MixtureOfExperts) {
    const ModelConfig c = read(SyntheticCheckpoint(small_moe(), 1));
    EXPECT_TRUE(c.use_moe);
    EXPECT_EQ(c.num_experts, 3);
    EXPECT_EQ(c.num_experts_per_tok, 1);
    EXPECT_TRUE(c.norm_topk_prob);
    EXPECT_EQ(c.architecture(), "minimind-3-moe");
}

TEST(ConfigFromShapes, EarlierArchitectureNeedsItsHeads) {
    const SyntheticCheckpoint checkpoint(small_v2(), 1);
    EXPECT_NE(config_error(checkpoint, nullptr).find("made_up.pth: num_attention_heads"), std::string::npos);
    const ModelConfig c = read(checkpoint, {{"num_attention_heads", 4}});
    EXPECT_EQ(c.head_dim, 4);
    EXPECT_EQ(c.num_key_value_heads, 2);
    EXPECT_EQ(c.rms_norm_eps, 1e-5);
    EXPECT_EQ(c.architecture(), "minimind-2");
    ConfigOptions options;
    options.num_attention_heads = 2;  // also possible: 2 heads of 8
    EXPECT_EQ(read(checkpoint, {{"num_attention_heads", 4}}, options).head_dim, 8) << "the option wins";
    options.num_attention_heads = 5;
    EXPECT_EQ(config_error(checkpoint, nullptr, ErrorKind::config, options),
              "num_attention_heads: 5 does not divide hidden_size 16");
}

TEST(ConfigFromShapes, SidecarWithHeads) {
    const Json sidecar = {
        {"num_attention_heads", 4}, {"num_key_value_heads", 2},   {"head_dim", 4},
        {"rms_norm_eps", 1e-05},    {"rope_theta", 1000000.0},    {"max_position_embeddings", 32768},
        {"qk_norm", false},         {"tie_word_embeddings", true}};
    EXPECT_EQ(read(SyntheticCheckpoint(small_v2(), 1), sidecar).num_attention_heads, 4);
}

TEST(ConfigFromShapes, TiedAndUntied) {
    ModelConfig said = small();
    said.tie_word_embeddings = false;
    SyntheticCheckpoint checkpoint(said, 1);
    EXPECT_FALSE(read(checkpoint).tie_word_embeddings);
    checkpoint.set("lm_head.weight", {30, 12}, checkpoint.at("model.embed_tokens.weight").values);
    EXPECT_TRUE(read(checkpoint).tie_word_embeddings) << "equal values are one matrix";
    checkpoint.fill("lm_head.weight", {30, 11}, 1);
    const std::string line = line_of(ErrorKind::shape, [&] {
        const ModelConfig c = read(checkpoint);
        Model(checkpoint.table(), c, std::make_shared<ThreadPool>(1));
    });
    EXPECT_NE(line.find("tensor lm_head.weight: shape"), std::string::npos) << line;
}

TEST(ConfigFromShapes, NamesWhatIsMissingOrMisshapen) {
    const auto broken = [](const std::function<void(SyntheticCheckpoint&)>& change, ErrorKind kind,
                           const ModelConfig& config = small()) {
        SyntheticCheckpoint checkpoint(config, 1);
        change(checkpoint);
        return config_error(checkpoint, nullptr, kind);
    };
    EXPECT_EQ(broken([](auto& c) { c.remove("model.embed_tokens.weight"); }, ErrorKind::format),
              "made_up.pth: tensor model.embed_tokens.weight: the checkpoint lacks this tensor");
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.fill("model.embed_tokens.weight", {30, 12, 1}, 1);
                  },
                  ErrorKind::shape)
                  .find("tensor model.embed_tokens.weight: shape: expected 2 dimensions"),
              std::string::npos);
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.fill("model.embed_tokens.weight", {0, 12}, 1);
                  },
                  ErrorKind::shape)
                  .find("is empty"),
              std::string::npos);
    EXPECT_NE(
        broken([](auto& c) { c.fill("model.layers.9.input_layernorm.weight", {12}, 1); }, ErrorKind::format)
            .find("tensor model.layers.2: layer 2 is missing, but there is layer 9"),
        std::string::npos);
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.fill("model.layers.999999.mlp.up_proj.weight", {1, 1}, 1);
                  },
                  ErrorKind::format)
                  .find("layer 2 is missing"),
              std::string::npos);
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.fill("model.layers.0.self_attn.q_proj.weight", {25, 12}, 1);
                  },
                  ErrorKind::shape)
                  .find("q_proj.weight: shape: 25 rows are not a multiple of head_dim 6"),
              std::string::npos);
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.fill("model.layers.0.self_attn.k_proj.weight", {18, 12}, 1);
                  },
                  ErrorKind::config)
                  .find("num_key_value_heads: 3 does not divide num_attention_heads 4"),
              std::string::npos);
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.remove("model.layers.0.mlp.experts.1.gate_proj.weight");
                      c.remove("model.layers.0.mlp.experts.1.up_proj.weight");
                      c.remove("model.layers.0.mlp.experts.1.down_proj.weight");
                  },
                  ErrorKind::format, small_moe())
                  .find("expert 1 is missing, but there is expert 2"),
              std::string::npos);
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.fill("model.layers.0.mlp.gate.weight", {4, 12}, 1);
                  },
                  ErrorKind::shape, small_moe())
                  .find("mlp.gate.weight: shape: expected [3, 12]"),
              std::string::npos);
    EXPECT_NE(broken(
                  [](auto& c) {
                      c.fill("model.layers.0.self_attn.q_norm.weight", {3}, 1);
                      c.fill("model.layers.0.self_attn.k_norm.weight", {3}, 1);
                  },
                  ErrorKind::config)
                  .find("head_dim: 3 is odd"),
              std::string::npos);
    // No layers at all.
    SyntheticCheckpoint none;
    none.fill("model.embed_tokens.weight", {30, 12}, 1);
    EXPECT_NE(config_error(none, nullptr, ErrorKind::format).find("model.layers.0.self_attn.q_proj.weight"),
              std::string::npos);
}

TEST(ConfigFromShapes, SaysWhatAFileIsInstead) {
    SyntheticCheckpoint lora;
    lora.fill("model.layers.0.self_attn.q_proj.lora.A.weight", {8, 12}, 1);
    try {
        read(lora);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(error.hint().find("LoRA"), std::string::npos);
    }
    SyntheticCheckpoint wrapped;
    wrapped.fill("module.model.embed_tokens.weight", {8, 12}, 1);
    try {
        read(wrapped);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(error.hint().find("\"module.\""), std::string::npos);
    }
}

TEST(ConfigFromShapes, HugeClaimsTakeNoMemory) {
    // Views that claim more than any file holds, over a few bytes: only shapes are looked at.
    static const std::vector<float> bytes(16);
    const auto claim = [](std::vector<std::int64_t> shape) {
        TensorView view;
        view.strides.assign(shape.size(), 0);
        view.shape = std::move(shape);
        view.data = reinterpret_cast<const std::byte*>(bytes.data());
        return view;
    };
    const auto reads = [&](std::int64_t vocabulary, std::int64_t hidden, std::int64_t inter,
                           std::int64_t head_dim) {
        TensorTable table("liar.pth", "torch zip");
        table.add("model.embed_tokens.weight", claim({vocabulary, hidden}));
        table.add("model.layers.0.self_attn.q_proj.weight", claim({head_dim, hidden}));
        table.add("model.layers.0.self_attn.k_proj.weight", claim({head_dim, hidden}));
        table.add("model.layers.0.self_attn.q_norm.weight", claim({head_dim}));
        table.add("model.layers.0.mlp.gate_proj.weight", claim({inter, hidden}));
        return line_of(ErrorKind::config, [&] { ModelConfig::from_checkpoint(table, nullptr, "", {}); });
    };
    EXPECT_NE(reads(std::int64_t{1} << 31, 16, 16, 2).find("vocab_size: 2147483648"), std::string::npos);
    EXPECT_NE(reads(16, std::int64_t{1} << 40, 16, 2).find("hidden_size"), std::string::npos);
    EXPECT_NE(reads(16, 16, std::int64_t{1} << 62, 2).find("intermediate_size"), std::string::npos);
    EXPECT_NE(reads(16, 16, 16, std::int64_t{1} << 33).find("head_dim"), std::string::npos);
    EXPECT_NE(reads(INT32_MAX, 1 << 20, 1 << 24, 1 << 16).find("parameters"), std::string::npos);
}

}  // namespace
}  // namespace mm
