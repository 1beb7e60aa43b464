// The two halves of a transformer block. Model::forward strings them together; the kernels they call live in
// core/tensor.
#pragma once

#include <cstddef>

#include "core/model/kv_cache.hpp"
#include "core/model/weights.hpp"
#include "core/model/workspace.hpp"
#include "core/tensor/thread_pool.hpp"

namespace mm {

/// A run of consecutive tokens of a call's [rows, T] ids, passing through the layers together.
struct TokenRun {
    std::size_t first = 0;    // index of the run's first token in [rows, T]
    std::size_t count = 0;    // n
    std::size_t per_row = 1;  // T
    std::size_t start = 0;    // positions in the cache before the call

    std::size_t row(std::size_t token) const { return (first + token) / per_row; }
    std::size_t position(std::size_t token) const { return start + (first + token) % per_row; }
    /// Whether this is its row's last token in the call.
    bool ends_row(std::size_t token) const { return (first + token) % per_row == per_row - 1; }
};

/// What both halves work with.
struct LayerContext {
    const Weights& weights;
    KvCache& cache;
    Workspace::Buffers& buffers;
    ThreadPool& pool;
    TokenRun run;
};

/// Splits the attention of a run into kernel calls. The same for every layer.
void plan_attention(const LayerContext& context);

/// Grouped-query attention: normed → q, k, v → q/k norm → rotary → cache → softmax(q·kᵀ/√K)·v → o_proj.
/// Reads buffers.normed [n, D], stores keys and values, writes buffers.mixed [n, D].
/// Needs plan_attention() and a cache that has the run's positions appended.
void self_attention(const LayerContext& context, std::size_t layer);

/// down(silu(gate(x)) · up(x)), or its mixture over the chosen experts.
/// Reads buffers.normed [n, D], writes buffers.mixed [n, D].
void feed_forward(const LayerContext& context, std::size_t layer);

}  // namespace mm
