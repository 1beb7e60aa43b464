// ModelConfig completed by config.json and options, refused where they contradict; its limits and sizes.
#include <cmath>
#include <map>

#include "tests/model/golden_case.hpp"
#include "tests/model/small_configs.hpp"

namespace mm {
namespace {

using namespace test;

TEST(ConfigFile, GoldenFilesOfTransformersAndMiniMind) {
    // What transformers writes beyond MiniMind's own fields.
    const Json config = {{"architectures", {"MiniMindForCausalLM"}},
                         {"auto_map", {{"AutoConfig", "model_minimind.MiniMindConfig"}}},
                         {"model_type", "minimind"},
                         {"torch_dtype", "float16"},
                         {"dtype", "float16"},
                         {"transformers_version", "4.57.1"},
                         {"attention_bias", false},
                         {"attention_dropout", 0.0},
                         {"hidden_act", "silu"},
                         {"rope_scaling", nullptr},
                         {"sliding_window", nullptr},
                         {"use_sliding_window", false},
                         {"max_window_layers", 28},
                         {"layer_types", {"full_attention", "full_attention"}},
                         {"use_cache", true},
                         {"vocab_size", 30},
                         {"hidden_size", 12},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 4},
                         {"num_key_value_heads", 2},
                         {"head_dim", 6},
                         {"intermediate_size", 10},
                         {"moe_intermediate_size", 99},
                         {"num_experts", 4},
                         {"use_moe", false},
                         {"rope_theta", 10000},
                         {"rms_norm_eps", 1e-05},
                         {"max_position_embeddings", 512},
                         {"tie_word_embeddings", true},
                         {"inference_rope_scaling", false}};
    const ModelConfig c = read(SyntheticCheckpoint(small(), 1), config);
    EXPECT_EQ(c.rope_theta, 1e4);
    EXPECT_EQ(c.rms_norm_eps, 1e-5);
    EXPECT_EQ(c.max_position_embeddings, 512);
    ConfigOptions options;
    options.rope_theta = 5;
    options.rms_norm_eps = 1e-3;
    options.max_position_embeddings = 100;
    options.yarn = true;
    const ModelConfig forced = read(SyntheticCheckpoint(small(), 1), config, options);
    EXPECT_EQ(forced.rope_theta, 5);
    EXPECT_EQ(forced.rms_norm_eps, 1e-3);
    EXPECT_EQ(forced.max_position_embeddings, 100);
    EXPECT_TRUE(forced.rope_scaling.has_value());
}

TEST(ConfigFile, ContradictionsNameTheField) {
    const SyntheticCheckpoint dense(small(), 1);
    const SyntheticCheckpoint moe(small_moe(), 1);
    for (const auto& [field, value] : std::map<std::string, Json>{{"vocab_size", 31},
                                                                  {"hidden_size", 13},
                                                                  {"num_hidden_layers", 3},
                                                                  {"num_attention_heads", 8},
                                                                  {"num_key_value_heads", 4},
                                                                  {"head_dim", 3},
                                                                  {"intermediate_size", 11},
                                                                  {"use_moe", true},
                                                                  {"qk_norm", false}}) {
        EXPECT_EQ(config_error(dense, {{field, value}}).find("config.json: " + field + ": "), 0U) << field;
    }
    for (const auto& [field, value] : std::map<std::string, Json>{{"num_experts", 4},
                                                                  {"n_routed_experts", 4},
                                                                  {"moe_intermediate_size", 11},
                                                                  {"use_moe", false}}) {
        const std::string line = config_error(moe, {{field, value}});
        EXPECT_EQ(line.find("config.json: "), 0U) << line;
    }
    ModelConfig untied = small();
    untied.tie_word_embeddings = false;
    EXPECT_NE(config_error(SyntheticCheckpoint(untied, 1), {{"tie_word_embeddings", true}})
                  .find("tie_word_embeddings"),
              std::string::npos);
    EXPECT_NE(config_error(dense, {{"tie_word_embeddings", false}}, ErrorKind::format)
                  .find("tensor lm_head.weight"),
              std::string::npos);
}

TEST(ConfigFile, WrongTypesNameTheField) {
    const SyntheticCheckpoint checkpoint(small(), 1);
    for (const auto& [field, value] :
         std::map<std::string, Json>{{"vocab_size", "30"},
                                     {"hidden_size", 12.5},
                                     {"num_hidden_layers", true},
                                     {"rope_theta", "1e6"},
                                     {"use_moe", 0},
                                     {"hidden_act", 3},
                                     {"rope_scaling", 16},
                                     {"layer_types", "full"},
                                     {"max_position_embeddings", std::uint64_t{1} << 63}}) {
        try {
            read(checkpoint, {{field, value}});
            ADD_FAILURE() << field;
        } catch (const Error& error) {
            EXPECT_EQ(error.context().field, field) << error.what();
            EXPECT_EQ(error.context().file, "config.json");
        }
    }
    EXPECT_NE(config_error(checkpoint, Json::array()).find("must be an object"), std::string::npos);
}

TEST(ConfigFile, OtherArithmeticIsRefusedByName) {
    const SyntheticCheckpoint checkpoint(small(), 1);
    for (const auto& [field, value] :
         std::map<std::string, Json>{{"hidden_act", "gelu"},
                                     {"attention_bias", true},
                                     {"mlp_bias", true},
                                     {"sliding_window", 4096},
                                     {"use_sliding_window", true},
                                     {"layer_types", {"full_attention", "sliding_attention"}},
                                     {"model_type", "gemma2"},
                                     {"scoring_func", "sigmoid"},
                                     {"is_causal", false},
                                     {"per_layer_config", {{"0", {{"num_key_value_heads", 1}}}}},
                                     {"final_logit_softcapping", 30.0},
                                     {"partial_rotary_factor", 0.5},
                                     {"quantization_config", {{"bits", 4}}},
                                     {"mlp_only_layers", {0}}}) {
        EXPECT_EQ(
            config_error(checkpoint, {{field, value}}, ErrorKind::unsupported).find("config.json: " + field),
            0U)
            << field;
    }
    EXPECT_NE(config_error(checkpoint, {{"rope_scaling", {{"type", "linear"}, {"factor", 2}}}},
                           ErrorKind::unsupported)
                  .find("rope_scaling.type"),
              std::string::npos);
    EXPECT_NE(config_error(checkpoint, {{"rope_scaling", {{"type", "yarn"}, {"mscale", 0.7}}}},
                           ErrorKind::unsupported)
                  .find("rope_scaling.mscale"),
              std::string::npos);
    EXPECT_NO_THROW(read(checkpoint, {{"sliding_window", 4096}, {"use_sliding_window", false}}));
}

TEST(ConfigFile, YarnFromEitherField) {
    const SyntheticCheckpoint checkpoint(small(), 1);
    EXPECT_EQ(read(checkpoint, {{"inference_rope_scaling", true}}).rope_scaling->factor, 16);
    const Json scaling = {{"type", "yarn"}, {"factor", 8}, {"original_max_position_embeddings", 1024}};
    EXPECT_EQ(read(checkpoint, {{"rope_scaling", scaling}}).rope_scaling->factor, 8);
    EXPECT_EQ(read(checkpoint, {{"rope_scaling", scaling}}).rope_scaling->original_max_position_embeddings,
              1024);
    const Json both = {{"inference_rope_scaling", false}, {"rope_scaling", scaling}};
    EXPECT_NE(config_error(checkpoint, both).find("rope_scaling"), std::string::npos);
    ConfigOptions off;
    off.yarn = false;
    EXPECT_FALSE(read(checkpoint, both, off).rope_scaling);
    const Json newer = {{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5e5}}}};
    EXPECT_EQ(read(checkpoint, newer).rope_theta, 5e5);
    EXPECT_FALSE(read(checkpoint, newer).rope_scaling);
}

TEST(ConfigValidate, NamesTheFirstFieldOutsideItsRange) {
    const auto field = [](const std::function<void(ModelConfig&)>& change, ModelConfig c = small()) {
        change(c);
        try {
            c.validate();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::config);
            return error.context().field;
        }
        return std::string("none");
    };
    const double nan = std::nan("");
    EXPECT_EQ(field([](ModelConfig&) {}), "none");
    EXPECT_EQ(field([](ModelConfig& c) { c.num_hidden_layers = 0; }), "num_hidden_layers");
    EXPECT_EQ(field([](ModelConfig& c) { c.num_hidden_layers = 1000000; }), "num_hidden_layers");
    EXPECT_EQ(field([](ModelConfig& c) { c.head_dim = 0; }), "head_dim");
    EXPECT_EQ(field([](ModelConfig& c) { c.head_dim = 7; }), "head_dim");
    EXPECT_EQ(field([](ModelConfig& c) { c.num_key_value_heads = 3; }), "num_key_value_heads");
    EXPECT_EQ(field([](ModelConfig& c) { c.num_key_value_heads = 8; }), "num_key_value_heads");
    EXPECT_EQ(field([](ModelConfig& c) { c.rope_theta = 0; }), "rope_theta");
    EXPECT_EQ(field([](ModelConfig& c) { c.rope_theta = -1; }), "rope_theta");
    EXPECT_EQ(field([nan](ModelConfig& c) { c.rope_theta = nan; }), "rope_theta");
    EXPECT_EQ(field([](ModelConfig& c) { c.rms_norm_eps = 0; }), "rms_norm_eps");
    EXPECT_EQ(field([](ModelConfig& c) { c.rms_norm_eps = -1e-6; }), "rms_norm_eps");
    EXPECT_EQ(field([nan](ModelConfig& c) { c.rms_norm_eps = nan; }), "rms_norm_eps");
    EXPECT_EQ(field([](ModelConfig& c) { c.max_position_embeddings = 0; }), "max_position_embeddings");
    EXPECT_EQ(field([](ModelConfig& c) { c.num_experts_per_tok = 4; }, small_moe()), "num_experts_per_tok");
    EXPECT_EQ(field([](ModelConfig& c) { c.num_experts_per_tok = 0; }, small_moe()), "num_experts_per_tok");
    EXPECT_EQ(field([](ModelConfig& c) { c.rope_scaling = RopeScaling{.factor = 0}; }),
              "rope_scaling.factor");
}

TEST(ConfigValidate, ErrorsNameTheFileAValueCameFrom) {
    const SyntheticCheckpoint checkpoint(small(), 1);
    EXPECT_EQ(config_error(checkpoint, {{"rope_theta", -1}}),
              "config.json: rope_theta: must be above 0 and below 1e30");
    EXPECT_EQ(config_error(checkpoint, {{"rope_scaling", {{"factor", 0}}}})
                  .find("config.json: rope_scaling.factor"),
              0U);
    ConfigOptions options;
    options.rope_theta = -1;
    EXPECT_EQ(
        config_error(checkpoint, {{"rope_theta", 1e4}}, ErrorKind::config, options).find("rope_theta: "), 0U);
    options = {};
    options.num_experts_per_tok = 9;
    const SyntheticCheckpoint moe(small_moe(), 1);
    EXPECT_EQ(config_error(moe, nullptr, ErrorKind::config, options),
              "num_experts_per_tok: 9 is not in 1 … 3");
    SyntheticCheckpoint odd(small(), 1);
    odd.fill("model.layers.0.self_attn.q_norm.weight", {3}, 1);
    EXPECT_EQ(config_error(odd, nullptr).find("made_up.pth: head_dim: 3 is odd"), 0U);
}

TEST(ConfigSizes, BytesAndParameters) {
    const ModelConfig c = small();
    EXPECT_EQ(c.kv_bytes(100), 2U * 2 * 100 * 2 * 6 * 4);
    EXPECT_THROW(c.kv_bytes(UINT64_MAX / 2), Error);
    // One token passes everything but the embedding's other rows and unchosen experts.
    EXPECT_EQ(c.active_bytes(), 4 * (c.parameter_count() + 12));
    const ModelConfig moe = small_moe();
    EXPECT_EQ(moe.active_bytes(), 4 * (moe.parameter_count() + 12 - 2 * 2 * 3 * 10 * 12));
    // minimind-3, as its documents count it.
    ModelConfig large;
    large.vocab_size = 6400;
    large.hidden_size = 768;
    large.num_hidden_layers = large.num_attention_heads = 8;
    large.num_key_value_heads = 4;
    large.head_dim = 96;
    large.intermediate_size = 2432;
    EXPECT_EQ(large.parameter_count(), 63912192U);
}

}  // namespace
}  // namespace mm
