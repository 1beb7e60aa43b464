#include <algorithm>
#include <array>

#include "core/model/layers.hpp"
#include "core/tensor/attention.hpp"
#include "core/tensor/linear.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

// Queries of one kernel call: enough to reuse each key several times, few enough to keep scores in cache.
constexpr std::size_t kQueries = 16;

std::size_t heads_of(const Weights& w) {
    return static_cast<std::size_t>(w.config.num_attention_heads);
}
std::size_t kv_heads_of(const Weights& w) {
    return static_cast<std::size_t>(w.config.num_key_value_heads);
}
std::size_t head_dim_of(const Weights& w) {
    return static_cast<std::size_t>(w.config.head_dim);
}
std::size_t qkv_width(const Weights& w) {
    return (heads_of(w) + 2 * kv_heads_of(w)) * head_dim_of(w);
}

/// Norm and rotation of one head in place; `norm` is empty for MiniMind-2.
void prepare_head(float* head, const Vector& norm, float eps, const float* cos, const float* sin,
                  std::size_t head_dim) {
    if (norm.size() != 0) rms_norm(head, norm.data(), eps, head_dim, head);
    rotate_half(head, cos, sin, head_dim);
}

enum class Part { all, keys_values, queries };

/// Queries are prepared where they are; keys are prepared and, with the values, put into the cache.
void prepare_heads(const LayerContext& context, std::size_t layer, Part part, float* qkv) {
    const Weights& w = context.weights;
    const std::size_t heads = heads_of(w), kv_heads = kv_heads_of(w), head_dim = head_dim_of(w);
    const LayerWeights& weights = w.layers[layer];
    const auto eps = static_cast<float>(w.config.rms_norm_eps);
    context.pool.run(context.run.count, 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const std::size_t position = context.run.position(t);
            const float* cos = w.rope.cos(position);
            const float* sin = w.rope.sin(position);
            float* q = qkv + t * qkv_width(w);
            float* k = q + heads * head_dim;
            const float* v = k + kv_heads * head_dim;
            for (std::size_t h = 0; h < heads && part != Part::keys_values; ++h) {
                prepare_head(q + h * head_dim, weights.q_norm, eps, cos, sin, head_dim);
            }
            for (std::size_t g = 0; g < kv_heads && part != Part::queries; ++g) {
                prepare_head(k + g * head_dim, weights.k_norm, eps, cos, sin, head_dim);
                context.cache.store(context.run.row(t), layer, g, position, k + g * head_dim,
                                    v + g * head_dim);
            }
        }
    });
}

// Tasks that run at the same time, each with scores of its own.
std::size_t slots_for(const LayerContext& context) {
    return std::min(static_cast<std::size_t>(context.pool.threads()), context.buffers.tasks.size());
}

// Room for scores in steps of 1024 keys, so that a growing context rarely needs more.
std::size_t score_keys(const LayerContext& context) {
    return (context.cache.length() + 1023) / 1024 * 1024;
}

}  // namespace

void plan_run(const LayerContext& context) {
    const Weights& w = context.weights;
    const std::size_t heads = heads_of(w), group = heads / kv_heads_of(w);
    const TokenRun& run = context.run;
    Activations& b = context.buffers;
    const auto hidden = static_cast<std::size_t>(w.config.hidden_size);
    room(b.normed, run.count * hidden);
    room(b.mixed, run.count * hidden);
    room(b.qkv, run.count * qkv_width(w));
    room(b.attended, run.count * heads * head_dim_of(w));
    room(b.feed_forward, run.count * 2 * static_cast<std::size_t>(w.config.intermediate_size));
    std::vector<AttentionTask>& tasks = b.tasks;
    tasks.clear();
    for (std::size_t t = 0; t < run.count;) {
        std::size_t same_row = 1;
        while (t + same_row < run.count && run.row(t + same_row) == run.row(t)) ++same_row;
        if (same_row == 1) {
            // Decoding: one token, so the heads that share keys go together.
            for (std::size_t h = 0; h < heads; h += group) {
                for (std::size_t i = 0; i < group; i += kQueries) {
                    tasks.push_back({t, 1, h + i, std::min(kQueries, group - i)});
                }
            }
        } else {
            for (std::size_t h = 0; h < heads; ++h) {
                for (std::size_t i = 0; i < same_row; i += kQueries) {
                    tasks.push_back({t + i, std::min(kQueries, same_row - i), h, 1});
                }
            }
        }
        t += same_row;
    }
    room(b.scores, slots_for(context) * kQueries * score_keys(context));
}

namespace {

void attend_all(const LayerContext& context, std::size_t layer, const float* qkv, float* attended) {
    const Weights& w = context.weights;
    const std::size_t heads = heads_of(w), head_dim = head_dim_of(w), group = heads / kv_heads_of(w);
    const std::vector<AttentionTask>& tasks = context.buffers.tasks;
    const std::size_t slots = slots_for(context);
    const std::size_t keys = score_keys(context);
    float* scores = context.buffers.scores.data();
    context.pool.run(slots, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            // Later tokens see more keys: dealing tasks out like cards keeps the slots even.
            for (std::size_t i = slot; i < tasks.size(); i += slots) {
                const AttentionTask& task = tasks[i];
                const bool one_token = task.tokens == 1;
                std::array<std::size_t, kQueries> lengths;
                const std::size_t queries = task.tokens * task.heads;
                for (std::size_t r = 0; r < queries; ++r) {
                    lengths[r] = context.run.position(task.token + (one_token ? 0 : r)) + 1;
                }
                const std::size_t row = context.run.row(task.token);
                attend_rows(qkv + task.token * qkv_width(w) + task.head * head_dim,
                            one_token ? head_dim : qkv_width(w), queries, head_dim,
                            context.cache.k_tiles(row, layer, task.head / group),
                            context.cache.v_tiles(row, layer, task.head / group), lengths.data(),
                            scores + slot * kQueries * keys,
                            attended + task.token * heads * head_dim + task.head * head_dim,
                            one_token ? head_dim : heads * head_dim);
            }
        }
    });
}

}  // namespace

namespace {

void project(const LayerContext& context, std::size_t layer, Part part) {
    const Weights& w = context.weights;
    const PackedMatrix& weight = w.layers[layer].qkv;
    // A panel may hold the last queries and the first keys.
    const std::size_t queries = heads_of(w) * head_dim_of(w);
    const std::size_t begin = part == Part::keys_values ? queries / PackedMatrix::kPanel : 0;
    const std::size_t end =
        part == Part::queries ? (queries - 1) / PackedMatrix::kPanel + 1 : weight.panels();
    float* qkv = room(context.buffers.qkv, context.run.count * qkv_width(w));
    linear(context.buffers.normed.data(), context.run.count, static_cast<std::size_t>(w.config.hidden_size),
           weight, begin, end, qkv, qkv_width(w), context.pool);
    prepare_heads(context, layer, part, qkv);
}

}  // namespace

void project_heads(const LayerContext& context, std::size_t layer) {
    project(context, layer, Part::all);
}
void project_keys_values(const LayerContext& context, std::size_t layer) {
    project(context, layer, Part::keys_values);
}
void project_queries(const LayerContext& context, std::size_t layer) {
    project(context, layer, Part::queries);
}

void attend_heads(const LayerContext& context, std::size_t layer) {
    const Weights& w = context.weights;
    const std::size_t n = context.run.count;
    const auto hidden = static_cast<std::size_t>(w.config.hidden_size);
    const std::size_t attended_width = heads_of(w) * head_dim_of(w);
    float* attended = room(context.buffers.attended, n * attended_width);
    float* mixed = room(context.buffers.mixed, n * hidden);
    attend_all(context, layer, context.buffers.qkv.data(), attended);
    linear(attended, n, attended_width, w.layers[layer].o_proj, mixed, hidden, context.pool);
}

}  // namespace mm
