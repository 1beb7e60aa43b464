// The dimensions that shapes tell (shapes.hpp) held against config.json and options:
// ModelConfig::from_checkpoint.
#include <algorithm>
#include <type_traits>

#include "core/base/join.hpp"
#include "core/model/config.hpp"
#include "core/model/config_file.hpp"
#include "core/model/shapes.hpp"
#include "core/model/tensor_names.hpp"

namespace mm {
namespace {

/// Errors that name the config file, or no file for values that came from options.
[[noreturn]] void bad_field(const std::string& file, const char* field, std::string_view message,
                            std::string_view hint = {}) {
    throw_error(ErrorKind::config, message, {.file = file, .field = field}, hint);
}

template <typename T>
void agree(const std::string& file, const char* field, const std::optional<T>& said, T found) {
    if (!said || *said == found) return;
    const auto text = [](T value) {
        if constexpr (std::is_same_v<T, bool>) {
            return std::string(value ? "true" : "false");
        } else {
            return std::to_string(value);
        }
    };
    bad_field(file, field,
              join({text(*said), " contradicts the checkpoint's tensors, which say ", text(found)}));
}

/// H, G and K from the rows of q_proj and k_proj.
void split_heads(const TensorTable& table, const Shapes& shapes, const ConfigFile& file,
                 const std::string& config_file, const ConfigOptions& options, ModelConfig& c) {
    const std::optional<std::int64_t> said =
        options.num_attention_heads ? options.num_attention_heads : file.num_attention_heads;
    const std::string source = options.num_attention_heads ? std::string() : config_file;
    if (said && *said < 1) bad_field(source, "num_attention_heads", "must be at least 1");
    if (!c.qk_norm) {
        // No tensor has the length of one head; only H tells how q_proj's rows split.
        if (!said) {
            bad_field(table.file(), "num_attention_heads",
                      "a checkpoint without q_norm does not tell its number of heads",
                      "give --heads N or a config file; MiniMind-2's own models have 8");
        }
        if (file.head_dim) {
            c.head_dim = *file.head_dim;
        } else if (c.hidden_size % *said != 0) {
            bad_field(source, "num_attention_heads",
                      join({*said, " does not divide hidden_size ", c.hidden_size}));
        } else {
            c.head_dim = c.hidden_size / *said;
        }
    }
    if (c.head_dim < 1) bad_field(config_file, "head_dim", "must be at least 1");
    const std::string first = names::layer(0);
    const auto heads = [&](const char* name, std::int64_t rows) {
        if (rows % c.head_dim != 0) {
            bad_shape(table, first + name, join({rows, " rows are not a multiple of head_dim ", c.head_dim}));
        }
        return rows / c.head_dim;
    };
    c.num_attention_heads = heads(names::kQProj, shapes.q_rows);
    c.num_key_value_heads = heads(names::kKProj, shapes.k_rows);
    agree(source, "num_attention_heads", said, c.num_attention_heads);
    agree(config_file, "head_dim", file.head_dim, c.head_dim);
    agree(config_file, "num_key_value_heads", file.num_key_value_heads, c.num_key_value_heads);
}

/// Tensors that a family does not have would be left out by transformers, and made up where it has more.
void check_family(const ConfigFile& file, const std::string& config_file, const ModelConfig& c) {
    if (file.family == Family::minimind) return;
    const bool qwen = file.family == Family::qwen3 || file.family == Family::qwen3_moe;
    const auto fail = [&](const char* part, bool has) {
        bad_field(config_file, "model_type",
                  join({file.model_type, has ? " has " : " has no ", part,
                        has ? ", the checkpoint has none" : ", but the checkpoint has"}));
    };
    if (qwen != c.qk_norm) fail("q_norm and k_norm", qwen);
    const bool experts = file.family == Family::qwen3_moe;
    if (experts != c.use_moe) fail("experts", experts);
    if (c.num_shared_experts > 0) fail("shared experts", false);
}

void check_agreement(const ConfigFile& file, const std::string& config_file, const TensorTable& table,
                     const ModelConfig& c) {
    check_family(file, config_file, c);
    agree(config_file, "vocab_size", file.vocab_size, c.vocab_size);
    agree(config_file, "hidden_size", file.hidden_size, c.hidden_size);
    agree(config_file, "num_hidden_layers", file.num_hidden_layers, c.num_hidden_layers);
    agree(config_file, "use_moe", file.use_moe, c.use_moe);
    agree(config_file, "qk_norm", file.qk_norm, c.qk_norm);
    if (c.use_moe) {
        // MiniMind writes the MoE fields of dense models too; they mean nothing there.
        agree(config_file, "num_experts", file.num_experts, c.num_experts);
        if (file.n_shared_experts) {
            agree(config_file, "n_shared_experts", file.n_shared_experts, c.num_shared_experts);
        }
        // Beside experts of their own size, transformers' intermediate_size is that of dense layers.
        const bool own = file.moe_intermediate_size.has_value() || file.family != Family::minimind;
        agree(config_file, own ? "moe_intermediate_size" : "intermediate_size",
              own ? file.moe_intermediate_size : file.intermediate_size, c.intermediate_size);
    } else {
        agree(config_file, "intermediate_size", file.intermediate_size, c.intermediate_size);
    }
    if (!file.tie_word_embeddings) return;
    if (*file.tie_word_embeddings && !c.tie_word_embeddings) {
        bad_field(config_file, "tie_word_embeddings",
                  "is true, but lm_head.weight and model.embed_tokens.weight differ in the checkpoint");
    }
    if (!*file.tie_word_embeddings && !table.contains(names::kLmHead)) {
        throw_error(
            ErrorKind::format,
            join({"the checkpoint lacks this tensor, and tie_word_embeddings is not true in ", config_file}),
            {.file = table.file(), .tensor = names::kLmHead});
    }
}

std::optional<RopeScaling> choose_scaling(const ConfigFile& file, const std::string& config_file,
                                          const std::optional<bool>& option) {
    const bool given = file.rope_scaling.has_value();
    if (file.family != Family::minimind) {
        if (option == true && !given) {
            bad_field(config_file, "rope_scaling",
                      join({"is not given, and yarn has no default values for ", file.model_type}));
        }
        return option.value_or(given) ? file.rope_scaling : std::nullopt;
    }
    if (!option && file.inference_rope_scaling == false && given) {
        bad_field(config_file, "rope_scaling", "is given, but inference_rope_scaling is false",
                  "say which with --rope-scaling yarn or --rope-scaling none");
    }
    const bool on = option.value_or(file.inference_rope_scaling.value_or(given));
    if (!on) return {};
    return given ? file.rope_scaling : RopeScaling{};
}

/// Which file a value came from: none when an option gave it, else the config file when it speaks of the
/// field, else the checkpoint's shapes.
std::string source_of(const std::string& field, const ConfigFile& file, const std::string& config_file,
                      const ConfigOptions& options, const std::string& checkpoint) {
    const auto among = [&](const char* name, const auto& option,
                           const auto& said) -> std::optional<std::string> {
        if (!field.starts_with(name)) return {};
        if (option) return std::string();
        return said ? config_file : checkpoint;
    };
    if (const auto f = among("rms_norm_eps", options.rms_norm_eps, file.rms_norm_eps)) return *f;
    if (const auto f = among("rope_theta", options.rope_theta, file.rope_theta)) return *f;
    if (const auto f =
            among("max_position_embeddings", options.max_position_embeddings, file.max_position_embeddings)) {
        return *f;
    }
    if (const auto f = among("num_experts_per_tok", options.num_experts_per_tok, file.num_experts_per_tok))
        return *f;
    return field.starts_with("rope_scaling") ? config_file : checkpoint;
}

}  // namespace

ModelConfig ModelConfig::from_checkpoint(const TensorTable& table, const Json* config,
                                         const std::string& config_file, const ConfigOptions& options) {
    const ConfigFile file = config != nullptr ? read_config_file(*config, config_file) : ConfigFile{};
    const Shapes shapes = read_shapes(table);
    ModelConfig c = shapes.config;
    split_heads(table, shapes, file, config_file, options, c);
    check_agreement(file, config_file, table, c);

    const auto choose = [](const auto& option, const auto& said, auto fallback) {
        return option ? *option : said.value_or(fallback);
    };
    c.max_position_embeddings =
        choose(options.max_position_embeddings, file.max_position_embeddings, c.max_position_embeddings);
    if (!options.max_position_embeddings && file.max_position_embeddings) c.max_position_file = config_file;
    c.rms_norm_eps = choose(options.rms_norm_eps, file.rms_norm_eps, c.qk_norm ? 1e-6 : 1e-5);
    c.rope_theta = choose(options.rope_theta, file.rope_theta, c.rope_theta);
    c.rope_scaling = choose_scaling(file, config_file, options.yarn);
    if (c.use_moe) {
        const std::int64_t usual = c.qk_norm ? 1 : 2;  // MiniMind-3, MiniMind-2
        c.num_experts_per_tok =
            choose(options.num_experts_per_tok, file.num_experts_per_tok, std::min(usual, c.num_experts));
        c.norm_topk_prob = choose(options.norm_topk_prob, file.norm_topk_prob, true);
    }
    try {
        c.validate();
    } catch (const Error& error) {
        throw error.with_file(source_of(error.context().field, file, config_file, options, table.file()));
    }
    return c;
}

}  // namespace mm
