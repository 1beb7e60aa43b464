#include "core/reference/forward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/model/rope.hpp"
#include "core/reference/xtensor.hpp"
#include "core/tensor/ops.hpp"
#include "core/tensor/trig.hpp"

namespace mm::reference {
namespace {

Vector row_of(const Matrix& x, std::size_t t) {
    Vector row = Vector::from_shape({x.shape(1)});
    std::copy_n(&x(t, 0), row.size(), row.begin());
    return row;
}

/// Σ x in the order that the kernels keep (an xtensor reduction promises none): element i belongs to lane i
/// mod 16; then lane j meets j + 8, j + 4, j + 2, j + 1.
float sum_of(const Vector& x) {
    float lanes[16] = {};
    for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 16] += x(i);
    for (std::size_t half = 8; half > 0; half /= 2) {
        for (std::size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
    }
    return lanes[0];
}

Matrix transposed(const Matrix& x) {
    Matrix y = Matrix::from_shape({x.shape(1), x.shape(0)});
    for (std::size_t r = 0; r < x.shape(0); ++r) {
        for (std::size_t c = 0; c < x.shape(1); ++c) y(c, r) = x(r, c);
    }
    return y;
}

/// Every row divided by its root mean square, times the weight.
Matrix rms_norm(Matrix x, const Vector& weight, double eps) {
    for (std::size_t t = 0; t < x.shape(0); ++t) {
        Vector squares = row_of(x, t);
        for (float& value : squares) value *= value;
        const float mean = sum_of(squares) / static_cast<float>(x.shape(1));
        const float scale = 1.0f / std::sqrt(mean + static_cast<float>(eps));
        for (std::size_t i = 0; i < x.shape(1); ++i) x(t, i) = x(t, i) * scale * weight(i);
    }
    return x;
}

/// exp(x − max x): softmax before its division. The exponential is the project's own (core/tensor/ops.hpp).
Vector exponentials(Vector x) {
    const float largest = *std::max_element(x.begin(), x.end());
    for (float& value : x) value = exp_f32(value - largest);
    return x;
}

/// [T, N·K] → [T, N, K], each head normalised when there is a norm.
Heads split_heads(Matrix x, const Vector& norm, const ModelConfig& c) {
    const std::size_t tokens = x.shape(0), width = static_cast<std::size_t>(c.head_dim);
    x.reshape({x.size() / width, width});
    if (norm.size() > 0) x = rms_norm(std::move(x), norm, c.rms_norm_eps);
    Heads heads = Heads::from_shape({tokens, x.shape(0) / tokens, width});
    std::copy(x.begin(), x.end(), heads.begin());
    return heads;
}

/// Rotary embedding: pairs (x[i], x[i + K/2]) turn by position · frequency[i].
Heads rotate(Heads x, std::size_t first_position, const ModelConfig& c) {
    const std::vector<float> frequencies = rope_frequencies(c);  // with YaRN where the model has it
    const std::size_t half = frequencies.size();
    const auto factor = static_cast<float>(c.rope_scaling ? c.rope_scaling->attention_factor : 1);
    for (std::size_t t = 0; t < x.shape(0); ++t) {
        for (std::size_t i = 0; i < half; ++i) {
            const SinCos turn = sin_cos(static_cast<float>(first_position + t) * frequencies[i]);
            const float cos = turn.cos * factor, sin = turn.sin * factor;
            for (std::size_t h = 0; h < x.shape(1); ++h) {
                const float a = x(t, h, i), b = x(t, h, i + half);
                x(t, h, i) = a * cos - b * sin;
                x(t, h, i + half) = b * cos + a * sin;
            }
        }
    }
    return x;
}

/// Grouped-query attention, softmax(Q Kᵀ / √K) V: head h of a new token looks at K and V of head h / (H/G) of
/// every token so far.
/// @param x [T, D]
Matrix attention(const Weights& w, std::size_t l, const Matrix& x, LayerCache& cache,
                 const Options& options) {
    const ModelConfig& c = w.config;
    const Layer& layer = w.layers[l];
    const std::size_t start = cache.k.shape(0), tokens = x.shape(0);
    const std::size_t position = options.first_position.value_or(start);
    const Heads q = rotate(split_heads(linear(x, layer.q_proj), layer.q_norm, c), position, c);
    const Heads unrotated = split_heads(linear(x, layer.k_proj), layer.k_norm, c);
    Heads k = rotate(unrotated, position, c);
    Heads v = split_heads(linear(x, layer.v_proj), {}, c);

    if (options.store) options.store(l, k, v, unrotated);
    cache.k = joined(cache.k, k);
    cache.v = joined(cache.v, v);

    const std::size_t length = cache.k.shape(0), heads = q.shape(1), width = q.shape(2);
    const float scale = 1.0f / std::sqrt(static_cast<float>(width));
    Matrix mixed = Matrix::from_shape({tokens, heads * width});
    Heads weights = Heads::from_shape({options.watch ? tokens : 0, heads, length});
    for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t group = h / (heads / k.shape(1));
        Matrix scores = linear(head_of(q, h), transposed(head_of(cache.k, group)));  // [T, S]
        Vector totals = Vector::from_shape({tokens});
        for (std::size_t t = 0; t < tokens; ++t) {
            for (std::size_t s = 0; s < length; ++s) {
                const bool seen = options.sees(start + t, s);
                scores(t, s) = seen ? scores(t, s) * scale : -std::numeric_limits<float>::infinity();
            }
            const Vector e = exponentials(row_of(scores, t));
            totals(t) = sum_of(e);
            std::copy(e.begin(), e.end(), &scores(t, 0));
        }
        const Matrix sums = linear(scores, head_of(cache.v, group));  // [T, K]
        for (std::size_t t = 0; t < tokens; ++t) {
            for (std::size_t i = 0; i < width; ++i) mixed(t, h * width + i) = sums(t, i) / totals(t);
            for (std::size_t s = 0; options.watch && s < length; ++s)
                weights(t, h, s) = scores(t, s) / totals(t);
        }
    }
    if (options.watch) options.watch(l, weights);
    return linear(mixed, layer.o_proj);
}

/// down(silu(gate(x)) · up(x)), silu(v) = v / (1 + exp(−v)).
Matrix gated(const FeedForward& w, const Matrix& x) {
    Matrix gate = linear(x, w.gate_proj);
    const Matrix up = linear(x, w.up_proj);
    for (std::size_t t = 0; t < gate.shape(0); ++t) {
        for (std::size_t i = 0; i < gate.shape(1); ++i)
            gate(t, i) = gate(t, i) / (1.0f + exp_f32(-gate(t, i))) * up(t, i);
    }
    return linear(gate, w.down_proj);
}

/// One token's mixture: its k likeliest experts (of equals the first), added up in the experts' order.
/// @param x [1, D]
Matrix mixture(const Layer& layer, const Matrix& x, const ModelConfig& c) {
    Vector p = exponentials(row_of(linear(x, layer.router), 0));
    p /= sum_of(p);
    Vector share({p.size()}, 0.0f);
    float sum = 0;
    for (std::int64_t i = 0; i < c.num_experts_per_tok; ++i) {
        const auto best = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
        share(best) = p(best);
        sum += p(best);
        p(best) = -1;  // below every probability
    }
    // MiniMind-2 leaves a single expert's probability as it is.
    if (c.norm_topk_prob && (c.qk_norm || c.num_experts_per_tok > 1)) share /= sum + 1e-20f;
    Matrix y({1, x.shape(1)}, 0.0f);
    for (std::size_t i = 0; i < layer.experts.size(); ++i) {
        if (p(i) >= 0) continue;
        Matrix one = gated(layer.experts[i], x);
        y += (one *= share(i));
    }
    for (const FeedForward& shared : layer.shared_experts) y += gated(shared, x);
    return y;
}

Matrix feed_forward(const Layer& layer, const Matrix& x, const ModelConfig& c) {
    if (!c.use_moe) return gated(layer.experts.front(), x);
    Matrix y = Matrix::from_shape(x.shape());
    for (std::size_t t = 0; t < x.shape(0); ++t) {
        const Matrix one = mixture(layer, rows(x, t, t + 1), c);
        std::copy(one.begin(), one.end(), &y(t, 0));
    }
    return y;
}

}  // namespace

Matrix head_of(const Heads& x, std::size_t head) {
    Matrix one = Matrix::from_shape({x.shape(0), x.shape(2)});
    for (std::size_t t = 0; t < x.shape(0); ++t) std::copy_n(&x(t, head, 0), x.shape(2), &one(t, 0));
    return one;
}

Matrix rows(const Matrix& x, std::size_t begin, std::size_t end) {
    Matrix some = Matrix::from_shape({end - begin, x.shape(1)});
    std::copy_n(&x(begin, 0), some.size(), some.begin());
    return some;
}

Heads joined(const Heads& a, const Heads& b) {
    Heads both = Heads::from_shape({a.shape(0) + b.shape(0), a.shape(1), a.shape(2)});
    std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), both.begin()));
    return both;
}

Cache::Cache(const ModelConfig& c) {
    const auto heads = static_cast<std::size_t>(c.num_key_value_heads);
    const Heads none = Heads::from_shape({0, heads, static_cast<std::size_t>(c.head_dim)});
    layers.assign(static_cast<std::size_t>(c.num_hidden_layers), {none, none});
}

Matrix forward(const Weights& w, std::span<const TokenId> ids, Cache& cache, const Options& options) {
    const ModelConfig& c = w.config;
    Matrix x = Matrix::from_shape({ids.size(), static_cast<std::size_t>(c.hidden_size)});
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const float* row = &w.embed_tokens(static_cast<std::size_t>(ids[t]), 0);
        std::copy(row, row + x.shape(1), &x(t, 0));
    }
    for (std::size_t l = 0; l < w.layers.size(); ++l) {
        const Layer& layer = w.layers[l];
        x += attention(w, l, rms_norm(x, layer.input_layernorm, c.rms_norm_eps), cache.layers[l], options);
        x += feed_forward(layer, rms_norm(x, layer.post_attention_layernorm, c.rms_norm_eps), c);
    }
    return rms_norm(x, w.norm, c.rms_norm_eps);
}

Matrix logits(const Weights& w, const Matrix& states) {
    return linear(states, w.lm_head);
}

}  // namespace mm::reference
