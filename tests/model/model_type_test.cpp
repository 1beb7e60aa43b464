// model_type decides whose defaults hold: MiniMind's or those of transformers (tests/model/hf_test.cpp
// compares logits). What is said in two ways, or asks for what is not computed, is refused by the field's
// name.
#include <gtest/gtest.h>

#include <cmath>

#include "core/model/rope.hpp"
#include "tests/model/small_configs.hpp"

namespace mm {
namespace {

using namespace test;

SyntheticCheckpoint qwen3() {
    ModelConfig c = small();
    c.tie_word_embeddings = false;
    return SyntheticCheckpoint(c, 1);
}
SyntheticCheckpoint qwen3_moe() {
    ModelConfig c = small_moe();
    c.tie_word_embeddings = false;
    return SyntheticCheckpoint(c, 1);
}
SyntheticCheckpoint llama() {
    ModelConfig c = small_v2();
    c.tie_word_embeddings = false;
    return SyntheticCheckpoint(c, 1);
}
const Json kLlama = {{"model_type", "llama"}, {"num_attention_heads", 4}};

Json with(Json config, const Json& more) {
    config.update(more);
    return config;
}

/// The field that an error names.
std::string field_of(const SyntheticCheckpoint& checkpoint, const Json& config,
                     const ConfigOptions& options = {}) {
    try {
        read(checkpoint, config, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.context().file, "config.json") << error.what();
        return error.context().field;
    }
    return "none";
}

TEST(ModelType, ItsDefaultsHold) {
    for (const Json& config :
         {Json{{"model_type", "qwen3"}}, Json{{"architectures", {"Qwen3ForCausalLM"}}}}) {
        const ModelConfig c = read(qwen3(), config);
        EXPECT_EQ(c.rope_theta, 1e4);
        EXPECT_EQ(c.rms_norm_eps, 1e-6);
        EXPECT_EQ(c.max_position_embeddings, 32768);
    }
    const ModelConfig c = read(llama(), kLlama);
    EXPECT_EQ(c.rope_theta, 1e4);
    EXPECT_EQ(c.rms_norm_eps, 1e-6) << "1e-5 is MiniMind-2's";
    EXPECT_EQ(c.max_position_embeddings, 2048);

    const Json moe = {{"model_type", "qwen3_moe"}, {"num_experts_per_tok", 2}};
    EXPECT_FALSE(read(qwen3_moe(), moe).norm_topk_prob);
    EXPECT_TRUE(read(qwen3_moe(), with(moe, {{"norm_topk_prob", true}})).norm_topk_prob);
    EXPECT_EQ(field_of(qwen3_moe(), {{"model_type", "qwen3_moe"}}), "num_experts_per_tok") << "8 of 3";

    for (const Json& config : {Json{{"model_type", "minimind"}},
                               Json{{"architectures", {"MiniMindForCausalLM"}}}, Json::object()}) {
        EXPECT_EQ(read(qwen3(), config).rope_theta, 1e6);
        EXPECT_TRUE(read(qwen3_moe(), config).norm_topk_prob);
        EXPECT_EQ(read(qwen3_moe(), config).num_experts_per_tok, 1);
    }
}

TEST(ModelType, TensorsThatItDoesNotHaveAreRefused) {
    EXPECT_EQ(field_of(qwen3(), kLlama), "model_type") << "q_norm";
    EXPECT_EQ(field_of(qwen3(), {{"model_type", "qwen3_moe"}}), "model_type");
    EXPECT_EQ(field_of(qwen3_moe(), {{"model_type", "qwen3"}}), "model_type");
    EXPECT_EQ(field_of(llama(), {{"model_type", "qwen3"}, {"num_attention_heads", 4}}), "model_type");
    EXPECT_EQ(field_of(qwen3(), {{"model_type", "qwen2"}}), "model_type");
    EXPECT_EQ(field_of(qwen3(), {{"architectures", {"GemmaForCausalLM"}}}), "architectures");
    // A head that is not there would be made up.
    EXPECT_NE(config_error(SyntheticCheckpoint(small(), 1), {{"model_type", "qwen3"}}, ErrorKind::format)
                  .find("lm_head.weight"),
              std::string::npos);
}

TEST(ModelType, NumbersOfExpertsGoByThreeNames) {
    for (const char* name : {"num_experts", "num_local_experts", "n_routed_experts"}) {
        EXPECT_EQ(field_of(qwen3_moe(), {{name, 3}}), "none");
        EXPECT_EQ(field_of(qwen3_moe(), {{name, 4}}), "num_experts");
        EXPECT_EQ(field_of(qwen3_moe(), {{"num_experts", 3}, {name, 3.0}}), "none");
    }
    EXPECT_EQ(field_of(qwen3_moe(), {{"num_experts", 3}, {"num_local_experts", 4}}), "num_local_experts");
    // The size of dense layers, which there are none of.
    EXPECT_EQ(field_of(qwen3_moe(),
                       {{"model_type", "qwen3_moe"}, {"num_experts_per_tok", 1}, {"intermediate_size", 99}}),
              "none");
}

TEST(ModelType, WholeNumbersMayHaveAFractionOfZero) {
    const Json config = {{"max_position_embeddings", 2048.0}, {"num_hidden_layers", 2.0}};
    EXPECT_EQ(read(qwen3(), config).max_position_embeddings, 2048);
    EXPECT_EQ(field_of(qwen3(), {{"max_position_embeddings", 2048.5}}), "max_position_embeddings");
    EXPECT_EQ(field_of(qwen3(), {{"max_position_embeddings", 1e19}}), "max_position_embeddings");
}

TEST(ModelType, YarnAsTransformersAppliesIt) {
    const Json plain = {{"rope_type", "yarn"}, {"factor", 4.0}};
    for (const char* spelling : {"rope_scaling", "rope_parameters"}) {
        const Json config = {{"model_type", "qwen3"}, {"max_position_embeddings", 512}, {spelling, plain}};
        const RopeScaling s = *read(qwen3(), config).rope_scaling;
        EXPECT_TRUE(s.as_transformers);
        EXPECT_EQ(s.original_max_position_embeddings, 512);
        EXPECT_NEAR(s.attention_factor, 0.1 * std::log(4.0) + 1, 1e-15);
        EXPECT_EQ(s.beta_fast, 32);
        EXPECT_EQ(s.beta_slow, 1);
        EXPECT_TRUE(s.truncate);
    }
    const auto scaling = [&](const Json& more) {
        return *read(qwen3(), {{"model_type", "qwen3"}, {"rope_scaling", with(plain, more)}}).rope_scaling;
    };
    EXPECT_EQ(scaling({{"attention_factor", 1.5}}).attention_factor, 1.5);
    EXPECT_EQ(scaling({{"factor", 0.5}}).attention_factor, 1.0);
    EXPECT_NEAR(scaling({{"mscale", 2.0}, {"mscale_all_dim", 1.0}}).attention_factor,
                (0.2 * std::log(4.0) + 1) / (0.1 * std::log(4.0) + 1), 1e-15);
    EXPECT_FALSE(scaling({{"truncate", false}}).truncate);
    EXPECT_EQ(scaling({{"original_max_position_embeddings", 64}}).original_max_position_embeddings, 64);
    // MiniMind's values for what its own files leave out.
    EXPECT_EQ(read(qwen3(), {{"rope_scaling", plain}}).rope_scaling->attention_factor, 1);
    EXPECT_EQ(read(qwen3(), {{"rope_scaling", plain}}).rope_scaling->original_max_position_embeddings, 2048);
}

// transformers' _compute_yarn_parameters in float64.
std::vector<double> yarn(const ModelConfig& c) {
    const RopeScaling& s = *c.rope_scaling;
    const auto dim = static_cast<double>(c.head_dim);
    const auto bound = [&](double beta) {
        return dim * std::log(static_cast<double>(s.original_max_position_embeddings) / (beta * 2 * M_PI)) /
               (2 * std::log(c.rope_theta));
    };
    double low = bound(s.beta_fast), high = bound(s.beta_slow);
    if (s.truncate) low = std::floor(low), high = std::ceil(high);
    low = std::max(low, 0.0);
    high = std::min(high, dim - 1);
    if (low == high) high += 0.001;
    std::vector<double> out;
    for (double i = 0; i < dim / 2; ++i) {
        const double ramp = std::min(std::max((i - low) / (high - low), 0.0), 1.0);
        const double f = std::pow(c.rope_theta, -2 * i / dim);
        out.push_back(f * (1 - ramp) + f / s.factor * ramp);
    }
    return out;
}

TEST(ModelType, YarnFrequenciesOfTransformers) {
    ModelConfig c = small();
    c.head_dim = 16;
    c.max_position_embeddings = 128;  // shorter than the original: transformers scales all the same
    for (c.rope_theta = 500; c.rope_theta < 1e7; c.rope_theta *= 20) {
        for (const bool truncate : {true, false}) {
            for (const std::int64_t original : {40, 128, 4096}) {
                for (const double fast : {32.0, 0.5}) {
                    c.rope_scaling = RopeScaling{.beta_fast = fast,
                                                 .factor = 4,
                                                 .original_max_position_embeddings = original,
                                                 .as_transformers = true,
                                                 .truncate = truncate};
                    const std::vector<float> found = rope_frequencies(c);
                    const std::vector<double> right = yarn(c);
                    for (std::size_t i = 0; i < found.size(); ++i) {
                        EXPECT_NEAR(found[i] / right[i], 1, 1e-5)
                            << c.rope_theta << " " << original << " " << i;
                    }
                }
            }
        }
    }
}

TEST(ModelType, RotaryFieldsThatMeanTwoThingsAreRefused) {
    const auto field = [](const Json& more, const ConfigOptions& options = {}) {
        return field_of(qwen3(), with({{"model_type", "qwen3"}}, more), options);
    };
    const Json yarn = {{"rope_type", "yarn"}, {"factor", 4}};
    const auto rope = [&](const Json& more) { return Json{{"rope_scaling", with(yarn, more)}}; };
    EXPECT_EQ(field(rope(Json::object())), "none");
    EXPECT_EQ(field({{"rope_scaling", {{"rope_type", "yarn"}}}}), "rope_scaling.factor");
    EXPECT_EQ(field({{"rope_scaling", {{"factor", 4}}}}), "rope_scaling.rope_type");
    EXPECT_EQ(field(rope({{"type", "default"}})), "rope_scaling.rope_type");
    EXPECT_EQ(field(rope({{"long_factor", {1, 2}}})), "rope_scaling.long_factor");
    EXPECT_EQ(field(rope({{"partial_rotary_factor", 0.5}})), "rope_scaling.partial_rotary_factor");
    EXPECT_EQ(field(with(rope(Json::object()), {{"rope_parameters", {{"rope_type", "default"}}}})),
              "rope_parameters");
    EXPECT_EQ(field(with(rope({{"rope_theta", 1e6}}), {{"rope_theta", 1e4}})), "rope_scaling.rope_theta");
    EXPECT_EQ(field(with(rope(Json::object()), {{"original_max_position_embeddings", 64}})),
              "original_max_position_embeddings");
    for (const char* type : {"linear", "dynamic", "llama3", "longrope", "proportional", "mrope"}) {
        EXPECT_EQ(field({{"rope_scaling", {{"rope_type", type}, {"factor", 4}}}}), "rope_scaling.rope_type");
        EXPECT_EQ(field({{"rope_parameters", {{"type", type}, {"factor", 4}}}}), "rope_parameters.type");
    }
    EXPECT_EQ(field({{"rope_parameters", {{"rope_type", "default"}, {"partial_rotary_factor", 0.5}}}}),
              "rope_parameters.partial_rotary_factor");
    EXPECT_EQ(field({{"rope_scaling", Json::object()}, {"rope_parameters", {{"rope_theta", 5e5}}}}), "none");
    ConfigOptions on;
    on.yarn = true;
    EXPECT_EQ(field(Json::object(), on), "rope_scaling");
    EXPECT_EQ(field(rope(Json::object()), on), "none");
}

// rope_parameters, and rope_theta inside an object, are fields of transformers 5: version 4.57.6 computes
// as if they were not there (compared with both).
TEST(ModelType, WhatVersion4DoesNotReadIsRefusedInItsFiles) {
    const auto field = [](const char* version, const Json& more) {
        return field_of(qwen3(), with({{"model_type", "qwen3"}, {"transformers_version", version}}, more));
    };
    const Json yarn = {{"rope_parameters", {{"rope_type", "yarn"}, {"factor", 4}}}};
    const Json theta = {{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5e5}}}};
    const Json inside = {{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4}, {"rope_theta", 5e5}}}};
    EXPECT_EQ(field("4.57.6", yarn), "rope_parameters");
    EXPECT_EQ(field("4.57.6", theta), "rope_parameters.rope_theta");
    EXPECT_EQ(field("4.57.6", with(theta, {{"rope_theta", 5e5}})), "none");
    EXPECT_EQ(field("4.57.6", inside), "rope_scaling.rope_theta");
    EXPECT_EQ(field("4.57.6", with(inside, {{"rope_theta", 5e5}})), "none");
    for (const Json& config : {yarn, theta, inside}) EXPECT_EQ(field("5.24.0", config), "none");
}

TEST(ModelType, WindowsThatLeaveTokensOutAreRefused) {
    const auto qwen = [](const Json& more) {
        return field_of(qwen3(), with({{"model_type", "qwen3"}}, more));
    };
    EXPECT_EQ(qwen({{"sliding_window", 4096}}), "none") << "switched off by default";
    EXPECT_EQ(qwen({{"sliding_window", 4096}, {"use_sliding_window", true}}), "use_sliding_window");
    const auto mistral = [](const Json& more) {
        return field_of(llama(), with({{"model_type", "mistral"}, {"num_attention_heads", 4}}, more));
    };
    EXPECT_EQ(mistral(Json::object()), "sliding_window") << "4096 of 131072 by default";
    EXPECT_EQ(mistral({{"sliding_window", nullptr}}), "none");
    EXPECT_EQ(mistral({{"max_position_embeddings", 4096}}), "none");
    EXPECT_EQ(mistral({{"max_position_embeddings", 4097}}), "sliding_window");
    EXPECT_EQ(mistral({{"max_position_embeddings", 64}, {"sliding_window", 32}}), "sliding_window");
}

TEST(Derived, FrequenciesThatAreNotFiniteNameTheField) {
    const auto field = [](double theta, std::int64_t positions, double factor) {
        ModelConfig c = small();
        c.head_dim = 128;
        c.rope_theta = theta;
        c.max_position_embeddings = positions;
        c.rope_scaling = RopeScaling{.factor = factor, .as_transformers = true};
        try {
            c.validate();
        } catch (const Error& error) {
            return error.context().field;
        }
        return std::string("none");
    };
    EXPECT_EQ(field(1e-40, 100, 4), "rope_theta");
    EXPECT_EQ(field(1e-37, 100, 4), "none");
    EXPECT_EQ(field(1e-37, 2147483647, 4), "rope_theta");
    EXPECT_EQ(field(1e6, 100, 1e-40), "rope_scaling");
    EXPECT_EQ(field(1e-3, 100, 4), "none");
    EXPECT_EQ(field(1e29, 100, 4), "none");
}

}  // namespace
}  // namespace mm
