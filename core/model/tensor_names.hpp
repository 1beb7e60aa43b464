// Names of the tensors in a MiniMind checkpoint: spelt once, for reading shapes and for loading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/join.hpp"

namespace mm::names {

inline constexpr char kEmbedTokens[] = "model.embed_tokens.weight";  // [V, D]
inline constexpr char kLmHead[] = "lm_head.weight";                  // [V, D]
inline constexpr char kFinalNorm[] = "model.norm.weight";            // [D]
inline constexpr char kLayers[] = "model.layers.";

/// Buffers that MiniMind saves with its weights, and that are computed anew.
inline bool is_rotary_table(std::string_view name) {
    return name == "model.freqs_cos" || name == "model.freqs_sin";
}

// Below, appended to layer(l):
inline constexpr char kInputLayernorm[] = "input_layernorm.weight";                   // [D]
inline constexpr char kQProj[] = "self_attn.q_proj.weight";                           // [H·K, D]
inline constexpr char kKProj[] = "self_attn.k_proj.weight";                           // [G·K, D]
inline constexpr char kVProj[] = "self_attn.v_proj.weight";                           // [G·K, D]
inline constexpr char kOProj[] = "self_attn.o_proj.weight";                           // [D, H·K]
inline constexpr char kQNorm[] = "self_attn.q_norm.weight";                           // [K]
inline constexpr char kKNorm[] = "self_attn.k_norm.weight";                           // [K]
inline constexpr char kPostAttentionLayernorm[] = "post_attention_layernorm.weight";  // [D]
inline constexpr char kMlp[] = "mlp.";
inline constexpr char kRouter[] = "mlp.gate.weight";  // [E, D]
inline constexpr char kExperts[] = "mlp.experts.";
inline constexpr char kSharedExperts[] = "mlp.shared_experts.";

// Appended to layer(l) + kMlp, or to an expert's prefix:
inline constexpr char kGateProj[] = "gate_proj.weight";  // [F, D]
inline constexpr char kUpProj[] = "up_proj.weight";      // [F, D]
inline constexpr char kDownProj[] = "down_proj.weight";  // [D, F]

inline std::string layer(std::int64_t index) {
    return join({kLayers, index, "."});
}
inline std::string expert(std::int64_t layer_index, std::int64_t index) {
    return join({layer(layer_index), kExperts, index, "."});
}
inline std::string shared_expert(std::int64_t layer_index, std::int64_t index) {
    return join({layer(layer_index), kSharedExperts, index, "."});
}

}  // namespace mm::names
