// A model's dimensions and constants, in Hugging Face spelling (MiniMindConfig).
//
// What tensors tell is read from their shapes; what they cannot tell takes MiniMind's defaults unless a
// config.json or an option says otherwise. Precedence: option > config.json > default; where shapes speak,
// options and config.json must agree with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/json.hpp"
#include "core/checkpoint/tensor_table.hpp"

namespace mm {

/// YaRN. The values are MiniMind's for `inference_rope_scaling`.
struct RopeScaling {
    double beta_fast = 32;
    double beta_slow = 1;
    double factor = 16;
    std::int64_t original_max_position_embeddings = 2048;
    double attention_factor = 1.0;
    /// MiniMind changes frequencies only when max_position_embeddings > original_max_position_embeddings;
    /// transformers always, and its ramp may reach beyond the last frequency.
    bool as_transformers = false;
    bool truncate = true;  // the ramp's bounds are whole numbers; transformers can do without
};

/// Values given one by one on the command line (or by the page); each wins over every file.
struct ConfigOptions {
    std::optional<std::int64_t> num_attention_heads;
    std::optional<std::int64_t> num_experts_per_tok;
    std::optional<double> rope_theta;
    std::optional<double> rms_norm_eps;
    std::optional<bool> yarn;
    std::optional<std::int64_t> max_position_embeddings;
    std::optional<bool> norm_topk_prob;
};

struct ModelConfig {
    std::int64_t vocab_size = 0;           // V
    std::int64_t hidden_size = 0;          // D
    std::int64_t num_hidden_layers = 0;    // L
    std::int64_t num_attention_heads = 0;  // H
    std::int64_t num_key_value_heads = 0;  // G, divides H
    std::int64_t head_dim = 0;             // K, even
    std::int64_t intermediate_size = 0;    // F (of each expert when use_moe)
    std::int64_t max_position_embeddings = 32768;
    std::string max_position_file;  // the config.json that says so; empty for a default or an option
    double rms_norm_eps = 1e-6;     // 1e-5 for the earlier architecture without q/k norm
    double rope_theta = 1e6;
    std::optional<RopeScaling> rope_scaling;  // set: YaRN asked for
    bool tie_word_embeddings = true;          // lm_head and embed_tokens are one matrix
    bool qk_norm = true;                      // false: MiniMind-2
    bool use_moe = false;
    std::int64_t num_experts = 0;         // E; 0 when dense
    std::int64_t num_shared_experts = 0;  // MiniMind-2 MoE: experts that every token passes
    std::int64_t num_experts_per_tok = 1;
    bool norm_topk_prob = true;

    /// Reads the dimensions from a checkpoint's shapes, with `config` (a parsed config.json, or null) and
    /// options. Takes no memory that grows with what the shapes claim.
    /// @param config_file names config.json in errors; may be empty when config is null.
    /// @throws Error{format} a tensor is missing; Error{shape} tensors do not fit one another; Error{config}
    ///         naming the field that is missing, outside its range or contradicts the tensors;
    ///         Error{unsupported} naming a field that asks for other arithmetic (hidden_act, attention_bias,
    ///         …).
    static ModelConfig from_checkpoint(const TensorTable& table, const Json* config,
                                       const std::string& config_file, const ConfigOptions& options);

    /// @throws Error{config} naming the first field outside its range, or a product of dimensions that no
    ///         memory holds (more than 2^40 parameters).
    void validate() const;

    /// Bytes of K and V for `tokens` positions of one row: 2 · L · tokens · G · K · 4.
    /// @throws Error{range} on overflow.
    std::uint64_t kv_bytes(std::uint64_t tokens) const;
    /// The common mistake: those bytes after repeat_kv has copied each KV head for its query heads.
    /// @throws Error{range} on overflow.
    std::uint64_t kv_bytes_after_repeat(std::uint64_t tokens) const;
    /// Different parameters: a tied head counts once.
    /// @throws Error{config} on overflow; cannot happen after validate().
    std::uint64_t parameter_count() const;
    /// float32 bytes of the weights that one token passes through (all but unchosen experts; the embedding
    /// row once).
    std::uint64_t active_bytes() const;
    /// "minimind-3", "minimind-3-moe", "minimind-2" or "minimind-2-moe".
    std::string architecture() const;
};

}  // namespace mm
