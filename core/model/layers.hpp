// The two halves of a transformer block. Model::forward strings them together; the kernels they call live in
// core/tensor.
#pragma once

#include <cstddef>

#include "core/model/kv_cache.hpp"
#include "core/model/weights.hpp"
#include "core/model/workspace.hpp"
#include "core/tensor/thread_pool.hpp"

namespace mm {

/// Tokens of a call's [rows, T] ids that pass through the layers together: consecutive ones, or every
/// stride-th.
struct TokenRun {
    std::size_t first = 0;    // index of the run's first token in [rows, T]
    std::size_t count = 0;    // n
    std::size_t per_row = 1;  // T
    std::size_t start = 0;    // positions in the cache before the call
    std::size_t stride = 1;

    std::size_t index(std::size_t token) const { return first + token * stride; }  // in [rows, T]
    std::size_t row(std::size_t token) const { return index(token) / per_row; }
    std::size_t position(std::size_t token) const { return start + index(token) % per_row; }

    /// Of consecutive tokens, those that are their row's last in the call.
    TokenRun row_ends() const {
        const std::size_t last = first / per_row * per_row + per_row - 1;  // of the first token's row
        const std::size_t behind = first + count;
        return {last, last < behind ? (behind - 1 - last) / per_row + 1 : 0, per_row, start, per_row};
    }
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

/// The parts of project_heads(): only keys and values, only queries. Other tokens need nothing of a token
/// beyond its keys and values, so in the last layer most tokens need no queries.
void project_keys_values(const LayerContext& context, std::size_t layer);
void project_queries(const LayerContext& context, std::size_t layer);

/// Second half: softmax(q·kᵀ/√K)·v → o_proj. Writes buffers.mixed [n, D]. Needs plan_run(), and the
/// keys and values of every token that these see.
void attend_heads(const LayerContext& context, std::size_t layer);

/// down(silu(gate(x)) · up(x)), or its mixture over the chosen experts.
/// Reads buffers.normed [n, D], writes buffers.mixed [n, D].
void feed_forward(const LayerContext& context, std::size_t layer);

}  // namespace mm
