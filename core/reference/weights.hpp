// A model's weights as plain xtensor arrays, for the reference forward.
//
// Matrices are [inputs, outputs]: row k is what input k adds to every output. A float32 copy of what the fast
// path has packed.
#pragma once

#include <vector>

#include "core/model/config.hpp"
#include "core/model/model.hpp"
#include "core/tensor/types.hpp"

namespace mm::reference {

struct FeedForward {
    Matrix gate_proj;  // [D, F]
    Matrix up_proj;    // [D, F]
    Matrix down_proj;  // [F, D]
};

struct Layer {
    Vector input_layernorm;                   // [D]
    Matrix q_proj;                            // [D, H·K]
    Matrix k_proj;                            // [D, G·K]
    Matrix v_proj;                            // [D, G·K]
    Vector q_norm;                            // [K]; empty without q/k norm
    Vector k_norm;                            // [K]; empty without q/k norm
    Matrix o_proj;                            // [H·K, D]
    Vector post_attention_layernorm;          // [D]
    Matrix router;                            // [D, E]; empty when dense
    std::vector<FeedForward> experts;         // E; one when dense
    std::vector<FeedForward> shared_experts;  // MiniMind-2 MoE
};

struct Weights {
    ModelConfig config;
    Matrix embed_tokens;  // [V, D]
    std::vector<Layer> layers;
    Vector norm;     // [D]
    Matrix lm_head;  // [D, V]

    explicit Weights(const Model& model);
};

}  // namespace mm::reference
