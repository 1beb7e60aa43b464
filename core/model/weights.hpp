// A checkpoint's tensors packed for the kernels: immutable, shared by every session of a model.
//
// Between TensorTable (names and bytes) and Model::forward (arithmetic). Matrices that read the same input
// are packed as one, rows one after another: a single product then gives all their outputs, each of them
// still its own chain of additions, so the bits are those of separate products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/tensor_table.hpp"
#include "core/model/config.hpp"
#include "core/model/rope.hpp"
#include "core/tensor/packed_matrix.hpp"
#include "core/tensor/thread_pool.hpp"
#include "core/tensor/types.hpp"

namespace mm {

/// How a checkpoint becomes packed weights.
struct LoadOptions {
    Keep keep = Keep::type;
    /// The memory of the table's file, to pack the matrices into, and how large it is. What the file needs is
    /// at its beginning; the more lies behind that, the fewer matrices need new memory. May be null.
    std::shared_ptr<std::byte> memory = nullptr;
    std::size_t memory_bytes = 0;
};

/// A model's dimensions as sizes, once for everything that computes (letters: core/tensor/types.hpp).
struct Dims {
    std::size_t hidden;           // D
    std::size_t heads;            // H
    std::size_t kv_heads;         // G
    std::size_t head_dim;         // K
    std::size_t intermediate;     // F
    std::size_t vocab;            // V
    std::size_t layers;           // L
    std::size_t experts;          // E
    std::size_t experts_per_tok;  // chosen of them

    explicit Dims(const ModelConfig& config);
    std::size_t q() const { return heads * head_dim; }  // H·K
    std::size_t qkv() const {
        return (heads + 2 * kv_heads) * head_dim;
    }                                                       // a row of queries, keys and values
    std::size_t group() const { return heads / kv_heads; }  // query heads that share a KV head
};

struct FeedForwardWeights {
    PackedMatrix gate_up;  // [2F, D]: gate_proj's rows, then up_proj's
    PackedMatrix down;     // [D, F]
};

struct LayerWeights {
    Vector input_layernorm;                   // [D]
    PackedMatrix qkv;                         // [(H + 2G)·K, D]: q_proj's rows, then k_proj's, then v_proj's
    Vector q_norm;                            // [K]; empty for MiniMind-2
    Vector k_norm;                            // [K]; empty for MiniMind-2
    PackedMatrix o_proj;                      // [D, H·K]
    Vector post_attention_layernorm;          // [D]
    PackedMatrix router;                      // [E, D]; empty when dense
    std::vector<FeedForwardWeights> experts;  // E; one when dense
    std::vector<FeedForwardWeights> shared_experts;  // MiniMind-2 MoE
};

struct Weights {
    std::string file;  // the checkpoint, for errors
    ModelConfig config;
    Dims dims;
    float rms_norm_eps;
    PackedMatrix embed_tokens;  // [V, D]; the output head too when tied
    std::vector<LayerWeights> layers;
    Vector final_norm;     // [D]
    PackedMatrix lm_head;  // [V, D]; empty when tied
    RopeTable rope;
    std::vector<std::string> ignored;  // tensors of the checkpoint that take no part, in file order

    /// @throws Error naming file, tensor and field; see Model::Model.
    Weights(const TensorTable& table, const ModelConfig& config, ThreadPool& pool,
            const LoadOptions& options = {});

    const PackedMatrix& head() const { return config.tie_word_embeddings ? embed_tokens : lm_head; }
    /// Bytes held by matrices and norms.
    std::uint64_t bytes() const;
};

}  // namespace mm
