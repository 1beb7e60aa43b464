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
    Activations& buffers;
    ThreadPool& pool;
    TokenRun run;
};

/// Before the first layer of a run: splits its attention into kernel calls, the same for every layer, and
/// takes the memory that a dense layer needs, so that none is taken, and none can be refused, where threads
/// compute.
void plan_run(const LayerContext& context);

/// Grouped-query attention, first half: normed → q, k, v → q/k norm → rotary → cache. Reads buffers.normed
/// [n, D], stores keys and values, leaves queries in buffers.qkv. Needs a cache that has the run's positions
/// appended.
void project_heads(const LayerContext& context, std::size_t layer);

/// Second half: softmax(q·kᵀ/√K)·v → o_proj. Writes buffers.mixed [n, D]. Needs plan_run(), and the
/// keys and values of every token that these see.
void attend_heads(const LayerContext& context, std::size_t layer);

/// down(silu(gate(x)) · up(x)), or its mixture over the chosen experts.
/// Reads buffers.normed [n, D], writes buffers.mixed [n, D].
void feed_forward(const LayerContext& context, std::size_t layer);

}  // namespace mm
