#include <algorithm>
#include <cstring>

#include "core/model/layers.hpp"
#include "core/tensor/linear.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

/// y[rows, D] = down(silu(gate(x)) · up(x)) for rows of x [rows, D].
/// @param gate_up  scratch, [rows, 2F]
void gated(const Dims& d, const FeedForwardWeights& weights, const float* x, std::size_t rows, float* gate_up,
           float* y, ThreadPool& pool) {
    const std::size_t width = d.intermediate;
    linear(x, rows, d.hidden, weights.gate_up, gate_up, 2 * width, pool);
    const auto some_rows = [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
            silu_multiply(gate_up + r * 2 * width, gate_up + r * 2 * width + width, width);
        }
    };
    pool.run(rows, 8, some_rows, tasks_worth(rows * width * kRowOperation));
    linear(gate_up, rows, 2 * width, weights.down, y, d.hidden, pool);
}

constexpr float kTaken = -1;  // below every probability

/// The most probable expert that is not taken yet; there is one. Scores that overflowed make every
/// probability NaN: then experts come in their order, so that any floats give different experts.
std::size_t next_expert(const float* probabilities, std::size_t experts) {
    const std::size_t best = argmax(probabilities, experts);
    if (probabilities[best] >= 0) return best;
    return static_cast<std::size_t>(
        std::find_if(probabilities, probabilities + experts, [](float p) { return p != kTaken; }) -
        probabilities);
}

/// For each token: softmax over the experts, the k most probable (ties: lower index; torch.topk leaves ties
/// to the order std::nth_element happens to give), their weights, which sum to one when norm_topk_prob is
/// set.
void choose_experts(const Weights& w, const PackedMatrix& router, Activations& a, const Part& part) {
    const ModelConfig& c = w.config;
    const std::size_t n = part.count, experts = w.dims.experts, k = w.dims.experts_per_tok;
    float* scores = room(a.router, n * experts);
    linear(a.normed.data(), n, w.dims.hidden, router, scores, experts, part.pool);
    // MiniMind-2 leaves a single expert's probability as it is.
    const bool normalise = c.norm_topk_prob && (c.qk_norm || k > 1);
    room(a.chosen, n * k);
    room(a.weights, n * k);
    for (std::size_t t = 0; t < n; ++t) {
        float* row = scores + t * experts;
        softmax(row, experts, row);
        float sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t best = next_expert(row, experts);
            a.chosen[t * k + i] = static_cast<std::uint32_t>(best);
            a.weights[t * k + i] = row[best];
            sum += row[best];
            row[best] = kTaken;
        }
        for (std::size_t i = 0; i < k && normalise; ++i) a.weights[t * k + i] /= sum + 1e-20f;
    }
}

/// Each expert computes the tokens routed to it as one batch. A token's sum starts at 0 and takes its experts
/// in ascending order, as MiniMind's index_add_ does.
void mixture(const Weights& w, const LayerWeights& weights, Activations& a, const Part& part) {
    const std::size_t n = part.count, hidden = w.dims.hidden, k = w.dims.experts_per_tok;
    float* gate_up = a.feed_forward.data();
    float* mixed = a.mixed.data();
    choose_experts(w, weights.router, a, part);
    room(a.routed, n);
    room(a.routed_weights, n);
    float* in = room(a.expert_in, n * hidden);
    float* out = room(a.expert_out, n * hidden);
    std::fill_n(mixed, n * hidden, 0.0f);
    for (std::size_t e = 0; e < weights.experts.size(); ++e) {
        std::size_t count = 0;
        for (std::size_t t = 0; t < n; ++t) {
            for (std::size_t i = 0; i < k; ++i) {
                if (a.chosen[t * k + i] != e) continue;
                std::memcpy(in + count * hidden, a.normed.data() + t * hidden, hidden * sizeof(float));
                a.routed[count] = static_cast<std::uint32_t>(t);
                a.routed_weights[count] = a.weights[t * k + i];
                ++count;
                break;  // an expert takes a token once, so `count` is at most n
            }
        }
        if (count == 0) continue;
        gated(w.dims, weights.experts[e], in, count, gate_up, out, part.pool);
        for (std::size_t r = 0; r < count; ++r) {
            float* to = mixed + a.routed[r] * hidden;
            for (std::size_t d = 0; d < hidden; ++d)
                to[d] = to[d] + out[r * hidden + d] * a.routed_weights[r];
        }
    }
    for (const FeedForwardWeights& expert : weights.shared_experts) {
        gated(w.dims, expert, a.normed.data(), n, gate_up, out, part.pool);
        add_to(mixed, out, n * hidden);
    }
}

}  // namespace

void feed_forward(const Weights& w, std::size_t layer, Activations& a, const Part& part) {
    const LayerWeights& weights = w.layers[layer];
    if (w.config.use_moe) return mixture(w, weights, a, part);
    gated(w.dims, weights.experts.front(), part.rows(a.normed, w.dims.hidden), part.count,
          part.rows(a.feed_forward, 2 * w.dims.intermediate), part.rows(a.mixed, w.dims.hidden), part.pool);
}

}  // namespace mm
