#include "core/model/config.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>
#include <string_view>

#include "core/model/config_file.hpp"
#include "core/model/tensor_names.hpp"

namespace mm {
namespace {

// --- sizes ------------------------------------------------------------------------------------------------

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    if (b != 0 && a > UINT64_MAX / b) throw Error(ErrorKind::config, "the model's size overflows 64 bits");
    return a * b;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    if (a > UINT64_MAX - b) throw Error(ErrorKind::config, "the model's size overflows 64 bits");
    return a + b;
}

std::uint64_t u(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

/// Parameters of one layer when `experts` routed experts are counted.
std::uint64_t layer_parameters(const ModelConfig& c, std::uint64_t experts) {
    const std::uint64_t hidden = u(c.hidden_size);
    const std::uint64_t heads = multiply(add(u(c.num_attention_heads), u(c.num_key_value_heads)), 2);
    std::uint64_t sum = multiply(multiply(heads, u(c.head_dim)), hidden);  // q, o over H; k, v over G
    sum = add(sum, multiply(2, hidden));                                   // two layer norms
    if (c.qk_norm) sum = add(sum, multiply(2, u(c.head_dim)));
    const std::uint64_t feed_forward = multiply(multiply(3, u(c.intermediate_size)), hidden);
    if (!c.use_moe) return add(sum, feed_forward);
    sum = add(sum, multiply(u(c.num_experts), hidden));  // router
    return add(sum, multiply(add(experts, u(c.num_shared_experts)), feed_forward));
}

// --- what shapes tell -------------------------------------------------------------------------------------

[[noreturn]] void bad_shape(const TensorTable& table, const std::string& name, const std::string& message) {
    throw Error(ErrorKind::shape, message, {.file = table.file(), .tensor = name, .field = "shape"});
}

/// The view of a tensor that must be there with `dimensions` dimensions, none of them empty.
const TensorView& need(const TensorTable& table, const std::string& name, std::size_t dimensions) {
    const TensorView* view = table.find(name);
    if (view == nullptr) {
        throw Error(ErrorKind::format, "the checkpoint lacks this tensor",
                    {.file = table.file(), .tensor = name});
    }
    if (view->shape.size() != dimensions) {
        bad_shape(
            table, name,
            "expected " + std::to_string(dimensions) + " dimensions, found " + shape_string(view->shape));
    }
    for (const std::int64_t size : view->shape) {
        if (size < 1) bad_shape(table, name, "is empty: " + shape_string(view->shape));
    }
    return *view;
}

/// A file without an embedding is something else; says what, if its names tell.
void check_is_a_model(const TensorTable& table) {
    if (table.contains(names::kEmbedTokens)) return;
    std::string hint;
    for (const auto& entry : table.entries()) {
        if (entry.name.find("lora") != std::string::npos) {
            hint = "this looks like LoRA weights alone: merge them into their base model first";
            break;
        }
        if (entry.name.ends_with(names::kEmbedTokens)) {
            const std::string prefix =
                entry.name.substr(0, entry.name.size() - std::string_view(names::kEmbedTokens).size());
            hint = "its tensors are there under the prefix \"" + prefix +
                   "\": save the inner module's state_dict";
            break;
        }
    }
    throw Error(ErrorKind::format, "the checkpoint lacks this tensor",
                {.file = table.file(), .tensor = names::kEmbedTokens}, hint);
}

/// The number that stands between `prefix` and the next '.', when there is one in canonical form.
std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return {};
    name.remove_prefix(prefix.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    const auto digits = static_cast<std::size_t>(end - name.data());
    if (error != std::errc() || digits == 0 || digits == name.size() || *end != '.' || value < 0) return {};
    if (digits > 1 && name[0] == '0') return {};
    return value;
}

/// How many consecutive numbers follow `prefix` in tensor names. A gap is an error: `what` names it.
std::int64_t count_numbered(const TensorTable& table, const std::string& prefix, const char* what) {
    std::set<std::int64_t> found;
    for (const auto& entry : table.entries()) {
        if (const auto number = number_after(entry.name, prefix)) found.insert(*number);
    }
    std::int64_t next = 0;
    for (const std::int64_t number : found) {
        if (number != next) {
            throw Error(ErrorKind::format,
                        std::string(what) + " " + std::to_string(next) + " is missing, but there is " + what +
                            " " + std::to_string(number),
                        {.file = table.file(), .tensor = prefix + std::to_string(next)});
        }
        ++next;
    }
    return next;
}

/// Whether two views hold the same elements, bit for bit.
bool same_values(const TensorView& a, const TensorView& b) {
    if (a.dtype != b.dtype || a.shape != b.shape) return false;
    if (a.storage_key == b.storage_key && a.strides == b.strides) return true;
    const std::size_t size = item_size(a.dtype);
    const auto at = [size](const TensorView& v, std::int64_t i, std::int64_t j) {
        return v.data + static_cast<std::size_t>(i * v.strides[0] + j * v.strides[1]) * size;
    };
    const std::int64_t columns = a.shape[1];
    const bool rows_contiguous = a.strides[1] == 1 && b.strides[1] == 1;
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
        if (rows_contiguous) {
            if (std::memcmp(at(a, i, 0), at(b, i, 0), static_cast<std::size_t>(columns) * size) != 0)
                return false;
            continue;
        }
        for (std::int64_t j = 0; j < columns; ++j) {
            if (std::memcmp(at(a, i, j), at(b, i, j), size) != 0) return false;
        }
    }
    return true;
}

struct Shapes {
    ModelConfig config;       // the fields that shapes decide
    std::int64_t q_rows = 0;  // H · K
    std::int64_t k_rows = 0;  // G · K
};

Shapes read_shapes(const TensorTable& table) {
    check_is_a_model(table);
    Shapes out;
    ModelConfig& c = out.config;
    const TensorView& embed = need(table, names::kEmbedTokens, 2);
    c.vocab_size = embed.shape[0];
    c.hidden_size = embed.shape[1];
    c.num_hidden_layers = count_numbered(table, names::kLayers, "layer");
    const std::string first = names::layer(0);
    out.q_rows = need(table, first + names::kQProj, 2).shape[0];
    out.k_rows = need(table, first + names::kKProj, 2).shape[0];
    c.qk_norm = false;
    for (const auto& entry : table.entries()) {
        if (entry.name.ends_with(names::kQNorm) || entry.name.ends_with(names::kKNorm)) c.qk_norm = true;
    }
    if (c.qk_norm) c.head_dim = need(table, first + names::kQNorm, 1).shape[0];

    c.num_experts = count_numbered(table, first + names::kExperts, "expert");
    c.use_moe = c.num_experts > 0 || table.contains(first + names::kRouter);
    if (c.use_moe) {
        c.num_shared_experts = count_numbered(table, first + names::kSharedExperts, "shared expert");
        const TensorView& router = need(table, first + names::kRouter, 2);
        if (router.shape[0] != c.num_experts) {
            bad_shape(table, first + names::kRouter,
                      "expected [" + std::to_string(c.num_experts) + ", " + std::to_string(c.hidden_size) +
                          "] for the experts found, found " + shape_string(router.shape));
        }
    }
    const std::string feed_forward = c.use_moe ? names::expert(0, 0) : first + names::kMlp;
    c.intermediate_size = need(table, feed_forward + names::kGateProj, 2).shape[0];

    c.tie_word_embeddings = true;
    if (table.contains(names::kLmHead)) {
        c.tie_word_embeddings = same_values(need(table, names::kLmHead, 2), embed);
    }
    return out;
}

// --- shapes against config.json and options ---------------------------------------------------------------

/// Errors that name the config file, or no file for values that came from options.
[[noreturn]] void bad_field(const std::string& file, const char* field, const std::string& message,
                            const std::string& hint = {}) {
    throw Error(ErrorKind::config, message, {.file = file, .field = field}, hint);
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
    bad_field(file, field, text(*said) + " contradicts the checkpoint's tensors, which say " + text(found));
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
            bad_field(
                source, "num_attention_heads",
                std::to_string(*said) + " does not divide hidden_size " + std::to_string(c.hidden_size));
        } else {
            c.head_dim = c.hidden_size / *said;
        }
    }
    if (c.head_dim < 1) bad_field(config_file, "head_dim", "must be at least 1");
    const std::string first = names::layer(0);
    const auto heads = [&](const char* name, std::int64_t rows) {
        if (rows % c.head_dim != 0) {
            bad_shape(
                table, first + name,
                std::to_string(rows) + " rows are no multiple of head_dim " + std::to_string(c.head_dim));
        }
        return rows / c.head_dim;
    };
    c.num_attention_heads = heads(names::kQProj, shapes.q_rows);
    c.num_key_value_heads = heads(names::kKProj, shapes.k_rows);
    agree(source, "num_attention_heads", said, c.num_attention_heads);
    agree(config_file, "head_dim", file.head_dim, c.head_dim);
    agree(config_file, "num_key_value_heads", file.num_key_value_heads, c.num_key_value_heads);
}

void check_agreement(const ConfigFile& file, const std::string& config_file, const TensorTable& table,
                     const ModelConfig& c) {
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
        const bool own = file.moe_intermediate_size.has_value();
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
        throw Error(ErrorKind::format,
                    "the checkpoint lacks this tensor, and tie_word_embeddings is false in " + config_file,
                    {.file = table.file(), .tensor = names::kLmHead});
    }
}

std::optional<RopeScaling> choose_scaling(const ConfigFile& file, const std::string& config_file,
                                          const std::optional<bool>& option) {
    const bool given = file.rope_scaling.has_value();
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

void ModelConfig::validate() const {
    const auto fail = [](const char* field, const std::string& message) {
        throw Error(ErrorKind::config, message, {.field = field});
    };
    const auto within = [&](const char* field, std::int64_t value, std::int64_t most) {
        if (value < 1 || value > most) {
            fail(field, std::to_string(value) + " is not in 1 … " + std::to_string(most));
        }
    };
    constexpr std::int64_t kInt32 = INT32_MAX;  // what a TokenId and a position count hold
    within("vocab_size", vocab_size, kInt32);
    within("hidden_size", hidden_size, 1 << 20);
    within("num_hidden_layers", num_hidden_layers, 1 << 12);
    within("num_attention_heads", num_attention_heads, 1 << 16);
    within("num_key_value_heads", num_key_value_heads, num_attention_heads);
    if (num_attention_heads % num_key_value_heads != 0) {
        fail("num_key_value_heads", std::to_string(num_key_value_heads) +
                                        " does not divide num_attention_heads " +
                                        std::to_string(num_attention_heads));
    }
    within("head_dim", head_dim, 1 << 16);
    if (head_dim % 2 != 0)
        fail("head_dim", std::to_string(head_dim) + " is odd: rotary embedding pairs dimensions");
    within("intermediate_size", intermediate_size, 1 << 24);
    within("max_position_embeddings", max_position_embeddings, kInt32);
    // Compared as the float32 numbers they are used as; written so that NaN fails.
    if (!(static_cast<float>(rms_norm_eps) > 0) || !(rms_norm_eps < 1)) {
        fail("rms_norm_eps", "must be above 0 and below 1");
    }
    if (!(static_cast<float>(rope_theta) > 0) || !(rope_theta < 1e30)) {
        fail("rope_theta", "must be above 0 and below 1e30");
    }
    if (use_moe) {
        within("num_experts", num_experts, 1 << 16);
        within("num_experts_per_tok", num_experts_per_tok, num_experts);
    }
    if (rope_scaling) {
        const RopeScaling& s = *rope_scaling;
        const auto positive = [&](const char* field, double value) {
            if (!(static_cast<float>(value) > 0) || !(value < 1e30))
                fail(field, "must be above 0 and below 1e30");
        };
        positive("rope_scaling.factor", s.factor);
        positive("rope_scaling.beta_fast", s.beta_fast);
        positive("rope_scaling.beta_slow", s.beta_slow);
        positive("rope_scaling.attention_factor", s.attention_factor);
        within("rope_scaling.original_max_position_embeddings", s.original_max_position_embeddings, kInt32);
        if (rope_theta == 1) fail("rope_theta", "1 leaves YaRN no wavelengths to tell apart");
    }
    if (parameter_count() > std::uint64_t{1} << 40) {
        fail("parameters", "more than 2^40 parameters cannot be held in memory");
    }
}

std::uint64_t ModelConfig::kv_bytes(std::uint64_t tokens) const {
    const std::uint64_t per_token = multiply(
        multiply(multiply(8, u(num_hidden_layers)), u(num_key_value_heads)), u(head_dim));  // 2 × 4 bytes
    if (per_token != 0 && tokens > UINT64_MAX / per_token) {
        throw Error(ErrorKind::range, "the cache's size overflows 64 bits", {.field = "tokens"});
    }
    return per_token * tokens;
}

std::uint64_t ModelConfig::kv_bytes_after_repeat(std::uint64_t tokens) const {
    ModelConfig repeated = *this;
    repeated.num_key_value_heads = num_attention_heads;
    return repeated.kv_bytes(tokens);
}

std::uint64_t ModelConfig::parameter_count() const {
    const std::uint64_t embedding = multiply(u(vocab_size), u(hidden_size));
    const std::uint64_t layers = multiply(u(num_hidden_layers), layer_parameters(*this, u(num_experts)));
    const std::uint64_t heads = multiply(embedding, tie_word_embeddings ? 1 : 2);
    return add(add(heads, layers), u(hidden_size));
}

std::uint64_t ModelConfig::active_bytes() const {
    const std::uint64_t head = multiply(u(vocab_size), u(hidden_size));
    const std::uint64_t layers =
        multiply(u(num_hidden_layers), layer_parameters(*this, use_moe ? u(num_experts_per_tok) : 0));
    // The head, the final norm and one embedding row.
    return multiply(4, add(add(head, layers), multiply(2, u(hidden_size))));
}

std::string ModelConfig::architecture() const {
    return std::string(qk_norm ? "minimind-3" : "minimind-2") + (use_moe ? "-moe" : "");
}

}  // namespace mm
