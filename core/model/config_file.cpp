#include "core/model/config_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/join.hpp"
#include "core/model/config_fields.hpp"
#include "core/model/rope_fields.hpp"

namespace mm {
namespace {

/// Families whose tensors have the same names and, with the refusals below, the same arithmetic. Others
/// (Gemma's scaled norms, Phi's packed projections, …) must not be computed as if they were MiniMind.
struct KnownFamily {
    Family family;
    std::string_view model_type;
    std::string_view architecture;         // of its causal language model
    std::int64_t max_position_embeddings;  // transformers' default
};
constexpr std::array<KnownFamily, 4> kFamilies = {{
    {Family::qwen3, "qwen3", "Qwen3ForCausalLM", 32768},
    {Family::qwen3_moe, "qwen3_moe", "Qwen3MoeForCausalLM", 32768},
    {Family::llama, "llama", "LlamaForCausalLM", 2048},
    {Family::mistral, "mistral", "MistralForCausalLM", 131072},
}};

Family read_family(const ConfigFields& fields) {
    const auto find = [&](const char* field, std::string_view name, std::string_view KnownFamily::*spelling) {
        for (const KnownFamily& known : kFamilies) {
            if (known.*spelling == name) return known.family;
        }
        fields.refuse(field, join({"\"", name, "\" is not an architecture this program computes"}));
    };
    if (const auto type = fields.text("model_type")) {
        return type->starts_with("minimind") ? Family::minimind
                                             : find("model_type", *type, &KnownFamily::model_type);
    }
    // Without a type the class tells; without both, MiniMind's values hold.
    const Json* classes = fields.find("architectures");
    if (classes == nullptr || !classes->is_array() || classes->empty() || !classes->front().is_string()) {
        return Family::minimind;
    }
    const auto name = classes->front().get<std::string>();
    return name.starts_with("MiniMind") ? Family::minimind
                                        : find("architectures", name, &KnownFamily::architecture);
}

/// A window of positions that tokens see, where it leaves any of them out.
void check_window(const ConfigFields& fields, Family family) {
    fields.only("use_sliding_window", {false});
    // Qwen's classes keep the window's size where use_sliding_window, false by default, switches it off.
    if (family == Family::qwen3 || family == Family::qwen3_moe) return;
    if (family != Family::mistral) {
        if (!fields.find("use_sliding_window")) fields.only("sliding_window", {});
        return;
    }
    const bool given = fields.object().contains("sliding_window");
    const std::int64_t window = fields.integer("sliding_window").value_or(given ? INT64_MAX : 4096);
    if (window < fields.integer("max_position_embeddings").value_or(131072)) {
        fields.refuse("sliding_window",
                      given ? join({window, " is not supported"})
                            : std::string("is missing, which mistral takes as 4096: not supported"));
    }
}

void check_arithmetic(const ConfigFields& fields) {
    fields.only("hidden_act", {"silu", "swish"});  // two names of one function in transformers
    fields.only("attention_bias", {false});
    fields.only("mlp_bias", {false});
    fields.only("qkv_bias", {false});
    fields.only("scoring_func", {"softmax"});
    fields.only("partial_rotary_factor", {1});
    fields.only("rope_interleaved", {false});
    fields.only("attn_logit_softcapping", {});
    fields.only("final_logit_softcapping", {});
    fields.only("embedding_multiplier", {1});
    fields.only("residual_multiplier", {1});
    fields.only("attention_multiplier", {});
    fields.only("logits_scaling", {1});
    fields.only("logit_scale", {1});
    fields.only("quantization_config", {});
    fields.only("decoder_sparse_step", {1});
    fields.only("mlp_only_layers", {Json::array()});
    fields.only("first_k_dense_replace", {0});
    fields.only("is_encoder_decoder", {false});
    fields.only("is_causal", {true});
    fields.only("per_layer_config", {Json::object()});
    if (const Json* layers = fields.find("layer_types")) {
        if (!layers->is_array()) fields.fail("layer_types", "must be a list");
        for (const Json& layer : *layers) {
            if (layer != "full_attention") fields.refuse("layer_types", "only full_attention is supported");
        }
    }
}

/// What transformers takes for a field that its files leave out.
void fill_defaults(ConfigFile& file) {
    const auto fill = [](auto& field, auto value) {
        if (!field) field = value;
    };
    for (const KnownFamily& known : kFamilies) {
        if (known.family != file.family) continue;
        file.model_type = known.model_type;
        fill(file.max_position_embeddings, known.max_position_embeddings);
    }
    fill(file.rms_norm_eps, 1e-6);
    fill(file.tie_word_embeddings, false);
    if (file.family != Family::qwen3_moe) return;
    fill(file.num_experts_per_tok, std::int64_t{8});
    fill(file.norm_topk_prob, false);
}

}  // namespace

ConfigFile read_config_file(const Json& config, const std::string& file) {
    const ConfigFields fields(config, file);
    ConfigFile out;
    out.family = read_family(fields);
    check_arithmetic(fields);
    check_window(fields, out.family);
    out.vocab_size = fields.integer("vocab_size");
    out.hidden_size = fields.integer("hidden_size");
    out.num_hidden_layers = fields.integer("num_hidden_layers");
    out.num_attention_heads = fields.integer("num_attention_heads");
    out.num_key_value_heads = fields.integer("num_key_value_heads");
    out.head_dim = fields.integer("head_dim");
    out.intermediate_size = fields.integer("intermediate_size");
    out.moe_intermediate_size = fields.integer("moe_intermediate_size");
    out.num_experts = fields.integer("num_experts");
    for (const char* name : {"num_local_experts", "n_routed_experts"}) {
        const auto other = fields.integer(name);
        if (other && out.num_experts && out.num_experts != other) {
            fields.fail(name, "differs from num_experts");
        }
        if (other) out.num_experts = other;
    }
    out.n_shared_experts = fields.integer("n_shared_experts");
    out.num_experts_per_tok = fields.integer("num_experts_per_tok");
    out.max_position_embeddings = fields.integer("max_position_embeddings");
    out.rms_norm_eps = fields.number("rms_norm_eps");
    out.inference_rope_scaling = fields.boolean("inference_rope_scaling");
    out.tie_word_embeddings = fields.boolean("tie_word_embeddings");
    out.qk_norm = fields.boolean("qk_norm");
    out.use_moe = fields.boolean("use_moe");
    out.norm_topk_prob = fields.boolean("norm_topk_prob");
    if (out.family != Family::minimind) fill_defaults(out);
    read_rope(fields, out);
    if (out.family != Family::minimind && !out.rope_theta) out.rope_theta = kTransformersTheta;
    return out;
}

}  // namespace mm
