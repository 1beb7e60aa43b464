#include "core/model/config_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/join.hpp"

namespace mm {
namespace {

/// One JSON object whose fields are taken by name; errors name the file and the field.
class Fields {
  public:
    Fields(const Json& object, const std::string& file, std::string prefix = {})
        : object_(object), file_(file), prefix_(std::move(prefix)) {
        if (!object.is_object()) {
            const std::string name = prefix_.substr(0, prefix_.rfind('.'));
            throw_error(ErrorKind::config, "must be an object", {.file = file, .field = name});
        }
    }

    /// The value, or nullptr when absent or null.
    const Json* find(const char* name) const {
        const auto at = object_.find(name);
        return at == object_.end() || at->is_null() ? nullptr : &*at;
    }

    std::optional<std::int64_t> integer(const char* name) const {
        const Json* value = find(name);
        if (value == nullptr) return {};
        if (!value->is_number_integer()) fail(name, "must be an integer");
        if (value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
            fail(name, "is out of range");
        }
        return value->get<std::int64_t>();
    }

    std::optional<double> number(const char* name) const {
        const Json* value = find(name);
        if (value == nullptr) return {};
        if (!value->is_number()) fail(name, "must be a number");
        return value->get<double>();
    }

    std::optional<bool> boolean(const char* name) const {
        const Json* value = find(name);
        if (value == nullptr) return {};
        if (!value->is_boolean()) fail(name, "must be true or false");
        return value->get<bool>();
    }

    std::optional<std::string> text(const char* name) const {
        const Json* value = find(name);
        if (value == nullptr) return {};
        if (!value->is_string()) fail(name, "must be a string");
        return value->get<std::string>();
    }

    [[noreturn]] void fail(std::string_view name, std::string_view message) const {
        throw_error(ErrorKind::config, message, {.file = file_, .field = join({prefix_, name})});
    }
    [[noreturn]] void refuse(std::string_view name, std::string_view message) const {
        throw_error(ErrorKind::unsupported, message, {.file = file_, .field = join({prefix_, name})});
    }
    /// Refuses `name` unless it is absent, null or one of `values`.
    void only(const char* name, std::initializer_list<Json> values) const {
        const Json* value = find(name);
        if (value == nullptr || std::find(values.begin(), values.end(), *value) != values.end()) return;
        std::string shown = value->dump(-1, ' ', false, Json::error_handler_t::replace);
        if (shown.size() > 60) shown = "this value";
        refuse(name, join({shown, " is not supported"}));
    }

    const Json& object() const { return object_; }

  private:
    const Json& object_;
    const std::string& file_;
    std::string prefix_;
};

// Families whose tensors have the same names and, with the refusals below, the same arithmetic. Others
// (Gemma's scaled norms, Phi's packed projections, …) must not be computed as if they were MiniMind.
void check_model_type(const Fields& fields) {
    const auto type = fields.text("model_type");
    if (!type || type->starts_with("minimind")) return;
    constexpr std::array<std::string_view, 4> kSame = {"qwen3", "qwen3_moe", "llama", "mistral"};
    if (std::find(kSame.begin(), kSame.end(), *type) == kSame.end()) {
        fields.refuse("model_type", join({"\"", *type, "\" is not an architecture this program computes"}));
    }
}

void check_arithmetic(const Fields& fields) {
    check_model_type(fields);
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
    fields.only("use_sliding_window", {false});
    // transformers keeps a window's size even where use_sliding_window switches it off.
    if (!fields.find("use_sliding_window")) fields.only("sliding_window", {});
    if (const Json* layers = fields.find("layer_types")) {
        if (!layers->is_array()) fields.fail("layer_types", "must be a list");
        for (const Json& layer : *layers) {
            if (layer != "full_attention") fields.refuse("layer_types", "only full_attention is supported");
        }
    }
}

std::optional<RopeScaling> read_rope_scaling(const Fields& fields, const char* name,
                                             const std::string& file) {
    const Json* value = fields.find(name);
    if (value == nullptr) return {};
    const Fields inner(*value, file, join({name, "."}));
    std::string type = "yarn";
    for (const char* key : {"type", "rope_type"}) {
        if (const auto text = inner.text(key)) {
            type = *text;
            if (type != "yarn" && type != "default") {
                inner.refuse(key, join({"\"", type, "\" is not supported, only yarn"}));
            }
        }
    }
    if (type == "default") return {};
    for (const auto& [key, ignored] : value->items()) {
        constexpr std::array<std::string_view, 8> kKnown = {"type",
                                                            "rope_type",
                                                            "beta_fast",
                                                            "beta_slow",
                                                            "factor",
                                                            "attention_factor",
                                                            "original_max_position_embeddings",
                                                            "rope_theta"};
        if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end() && inner.find(key.c_str())) {
            inner.refuse(key, "is not supported");
        }
    }
    RopeScaling scaling;
    scaling.beta_fast = inner.number("beta_fast").value_or(scaling.beta_fast);
    scaling.beta_slow = inner.number("beta_slow").value_or(scaling.beta_slow);
    scaling.factor = inner.number("factor").value_or(scaling.factor);
    scaling.attention_factor = inner.number("attention_factor").value_or(scaling.attention_factor);
    scaling.original_max_position_embeddings =
        inner.integer("original_max_position_embeddings").value_or(scaling.original_max_position_embeddings);
    return scaling;
}

}  // namespace

ConfigFile read_config_file(const Json& config, const std::string& file) {
    const Fields fields(config, file);
    check_arithmetic(fields);
    ConfigFile out;
    out.vocab_size = fields.integer("vocab_size");
    out.hidden_size = fields.integer("hidden_size");
    out.num_hidden_layers = fields.integer("num_hidden_layers");
    out.num_attention_heads = fields.integer("num_attention_heads");
    out.num_key_value_heads = fields.integer("num_key_value_heads");
    out.head_dim = fields.integer("head_dim");
    out.intermediate_size = fields.integer("intermediate_size");
    out.moe_intermediate_size = fields.integer("moe_intermediate_size");
    out.num_experts = fields.integer("num_experts");
    if (const auto routed = fields.integer("n_routed_experts")) {
        if (out.num_experts && out.num_experts != routed) {
            fields.fail("n_routed_experts", "differs from num_experts");
        }
        out.num_experts = routed;
    }
    out.n_shared_experts = fields.integer("n_shared_experts");
    out.num_experts_per_tok = fields.integer("num_experts_per_tok");
    out.max_position_embeddings = fields.integer("max_position_embeddings");
    out.rms_norm_eps = fields.number("rms_norm_eps");
    out.rope_theta = fields.number("rope_theta");
    out.inference_rope_scaling = fields.boolean("inference_rope_scaling");
    out.rope_scaling = read_rope_scaling(fields, "rope_scaling", file);
    // transformers 5 moved rope_theta and rope_scaling into one object.
    if (const Json* parameters = fields.find("rope_parameters")) {
        const Fields inner(*parameters, file, "rope_parameters.");
        if (!out.rope_theta) out.rope_theta = inner.number("rope_theta");
        if (!out.rope_scaling && (inner.find("rope_type") || inner.find("type"))) {
            out.rope_scaling = read_rope_scaling(fields, "rope_parameters", file);
        }
    }
    out.tie_word_embeddings = fields.boolean("tie_word_embeddings");
    out.qk_norm = fields.boolean("qk_norm");
    out.use_moe = fields.boolean("use_moe");
    out.norm_topk_prob = fields.boolean("norm_topk_prob");
    return out;
}

}  // namespace mm
