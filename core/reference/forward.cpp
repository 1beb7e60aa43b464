#include "core/reference/forward.hpp"

#include <cmath>
#include <limits>

#include "core/model/rope.hpp"
#include "core/reference/xtensor.hpp"
#include "core/tensor/ops.hpp"
#include "core/tensor/trig.hpp"

namespace mm::reference {
namespace {

using xt::all, xt::newaxis, xt::range, xt::view;

// The sums, in the order that the kernels keep; an xtensor reduction promises none.

/// y = x W: output n is one chain over the inputs, y[n] = 0 + x[0]·W[0, n] + x[1]·W[1, n] + …
/// @param x [T, inputs] @param w [inputs, outputs]
Matrix linear(const Matrix& x, const Matrix& w) {
    Matrix y = xt::zeros<float>({x.shape(0), w.shape(1)});
    for (std::size_t k = 0; k < w.shape(0); ++k) {
        for (std::size_t t = 0; t < x.shape(0); ++t)
            xt::noalias(view(y, t, all())) += x(t, k) * view(w, k, all());
    }
    return y;
}

/// a · b, one chain.
template <class A, class B>
float dot(const A& a, const B& b) {
    float sum = 0;
    for (std::size_t i = 0; i < a.shape(0); ++i) sum += a(i) * b(i);
    return sum;
}

/// Σ x over a row: element i belongs to lane i mod 16; then lane j meets j + 8, j + 4, j + 2, j + 1.
template <class Row>
float sum_of(const Row& x) {
    Vector lanes = xt::zeros<float>({16});
    for (std::size_t i = 0; i < x.shape(0); ++i) lanes(i % 16) += x(i);
    for (std::size_t half = 8; half > 0; half /= 2) {
        view(lanes, range(0, half)) += view(lanes, range(half, 2 * half));
    }
    return lanes(0);
}

/// Every row divided by its root mean square, times the weight.
Matrix rms_norm(const Matrix& x, const Vector& weight, double eps) {
    Vector scale = Vector::from_shape({x.shape(0)});
    for (std::size_t t = 0; t < x.shape(0); ++t) {
        const float mean = sum_of(xt::square(view(x, t, all()))) / static_cast<float>(x.shape(1));
        scale(t) = 1.0f / std::sqrt(mean + static_cast<float>(eps));
    }
    return x * view(scale, all(), newaxis()) * weight;
}

/// exp(x − max x): softmax before its division. The exponential is the project's own (core/tensor/ops.hpp).
Vector exponentials(const Vector& x) {
    return xt::vectorize(exp_f32)(x - xt::amax(x)());
}

/// [T, N·K] → [T, N, K], each head normalised when there is a norm.
Heads split_heads(Matrix x, const Vector& norm, const ModelConfig& c) {
    const std::size_t tokens = x.shape(0), width = static_cast<std::size_t>(c.head_dim);
    x.reshape({x.size() / width, width});
    if (norm.size() > 0) x = rms_norm(x, norm, c.rms_norm_eps);
    return xt::reshape_view(x, {tokens, x.shape(0) / tokens, width});
}

/// Rotary embedding: pairs (x[i], x[i + K/2]) turn by position · frequency[i].
Heads rotate(const Heads& x, std::size_t first_position, const ModelConfig& c) {
    const std::vector<float> frequencies = rope_frequencies(c);  // with YaRN where the model has it
    const std::size_t half = frequencies.size();
    const auto factor = static_cast<float>(c.rope_scaling ? c.rope_scaling->attention_factor : 1);
    Heads cos = Heads::from_shape({x.shape(0), 1, half});
    Heads sin = cos;
    for (std::size_t t = 0; t < x.shape(0); ++t) {
        for (std::size_t i = 0; i < half; ++i) {
            const SinCos turn = sin_cos(static_cast<float>(first_position + t) * frequencies[i]);
            cos(t, 0, i) = turn.cos * factor;
            sin(t, 0, i) = turn.sin * factor;
        }
    }
    const auto a = view(x, all(), all(), range(0, half));
    const auto b = view(x, all(), all(), range(half, 2 * half));
    Heads out = xt::empty_like(x);
    view(out, all(), all(), range(0, half)) = a * cos - b * sin;
    view(out, all(), all(), range(half, 2 * half)) = b * cos + a * sin;
    return out;
}

/// Grouped-query attention: head h of a new token looks at K and V of head h / (H/G) of every token so far.
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
    cache.k = xt::eval(xt::concatenate(xt::xtuple(cache.k, k), 0));
    cache.v = xt::eval(xt::concatenate(xt::xtuple(cache.v, v), 0));

    const std::size_t length = cache.k.shape(0), heads = q.shape(1), group = heads / k.shape(1);
    const float scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
    Heads mixed = xt::zeros_like(q);
    Heads weights = xt::zeros<float>({options.watch ? tokens : 0, heads, length});
    for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t h = 0; h < heads; ++h) {
            Vector scores = Vector::from_shape({length});
            for (std::size_t s = 0; s < length; ++s) {
                scores(s) = options.sees(start + t, s)
                                ? dot(view(q, t, h, all()), view(cache.k, s, h / group, all())) * scale
                                : -std::numeric_limits<float>::infinity();
            }
            const Vector e = exponentials(scores);
            const float total = sum_of(e);
            auto out = view(mixed, t, h, all());
            for (std::size_t s = 0; s < length; ++s) {
                if (options.sees(start + t, s)) xt::noalias(out) += e(s) * view(cache.v, s, h / group, all());
            }
            out /= total;
            if (options.watch) view(weights, t, h, all()) = e / total;
        }
    }
    if (options.watch) options.watch(l, weights);
    return linear(xt::reshape_view(mixed, {tokens, heads * static_cast<std::size_t>(c.head_dim)}),
                  layer.o_proj);
}

/// down(silu(gate(x)) · up(x)), silu(v) = v / (1 + exp(−v)).
Matrix gated(const FeedForward& w, const Matrix& x) {
    const Matrix gate = linear(x, w.gate_proj);
    return linear(gate / (1.0f + xt::vectorize(exp_f32)(-gate)) * linear(x, w.up_proj), w.down_proj);
}

/// One token's mixture: its k likeliest experts (of equals the first), added up in the experts' order.
/// @param x [1, D]
Matrix mixture(const Layer& layer, const Matrix& x, const ModelConfig& c) {
    const Vector e = exponentials(xt::row(linear(x, layer.router), 0));
    Vector p = e / sum_of(e);
    Vector share = xt::zeros_like(p);
    float sum = 0;
    for (std::int64_t i = 0; i < c.num_experts_per_tok; ++i) {
        const std::size_t best = xt::argmax(p)();
        share(best) = p(best);
        sum += p(best);
        p(best) = -1;  // below every probability
    }
    // MiniMind-2 leaves a single expert's probability as it is.
    if (c.norm_topk_prob && (c.qk_norm || c.num_experts_per_tok > 1)) share /= sum + 1e-20f;
    Matrix y = xt::zeros_like(x);
    for (std::size_t i = 0; i < layer.experts.size(); ++i) {
        if (p(i) < 0) y += gated(layer.experts[i], x) * share(i);
    }
    for (const FeedForward& shared : layer.shared_experts) y += gated(shared, x);
    return y;
}

Matrix feed_forward(const Layer& layer, const Matrix& x, const ModelConfig& c) {
    if (!c.use_moe) return gated(layer.experts.front(), x);
    Matrix y = xt::zeros_like(x);
    for (std::size_t t = 0; t < x.shape(0); ++t) {
        view(y, range(t, t + 1), all()) = mixture(layer, view(x, range(t, t + 1), all()), c);
    }
    return y;
}

}  // namespace

Cache::Cache(const ModelConfig& c) {
    const auto heads = static_cast<std::size_t>(c.num_key_value_heads);
    const Heads none = Heads::from_shape({0, heads, static_cast<std::size_t>(c.head_dim)});
    layers.assign(static_cast<std::size_t>(c.num_hidden_layers), {none, none});
}

Matrix forward(const Weights& w, std::span<const TokenId> ids, Cache& cache, const Options& options) {
    const ModelConfig& c = w.config;
    Matrix x = Matrix::from_shape({ids.size(), static_cast<std::size_t>(c.hidden_size)});
    for (std::size_t t = 0; t < ids.size(); ++t) {
        view(x, t, all()) = view(w.embed_tokens, static_cast<std::size_t>(ids[t]), all());
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
