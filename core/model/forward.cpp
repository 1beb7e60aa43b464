#include "core/model/forward.hpp"

#include <algorithm>

#include "core/model/layers.hpp"
#include "core/tensor/linear.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

// How threads share the tokens at hand. By default they share each product by its outputs, and all meet after
// it. Where a core's own cache holds a layer's weights and there are tokens enough, each thread takes its own
// tokens (a part) through half a layer instead. Bits do not depend on it.
constexpr std::size_t kTokens = 128;                         // at a time, or a thread's share of them
constexpr std::uint64_t kOwnCache = std::uint64_t{3} << 19;  // bytes of a layer, beside its activations
constexpr std::size_t kPartTokens = 12;  // fewer would leave the kernels' tiles part empty

bool shares_tokens(const Weights& w, const ThreadPool& pool) {
    return pool.threads() > 1 && !w.config.use_moe &&
           (w.bytes() - w.embed_tokens.bytes()) / w.layers.size() <= kOwnCache;
}

/// Calls body(Part) for parts that make up all tokens; returns when all are done.
template <typename Body>
void each_part(const Weights& w, std::size_t count, ThreadPool& pool, Body&& body) {
    if (count == 0) return;
    const auto team = static_cast<std::size_t>(pool.threads());
    if (count < team * kPartTokens || !shares_tokens(w, pool)) return body(Part{0, count, pool, 0});
    // Two parts a thread where there are many tokens: an early one and a late one, which sees more keys.
    const std::size_t parts = count < 2 * team * kPartTokens ? team : 2 * team;
    ThreadPool alone(1);
    pool.run(parts, 1, [&](std::size_t from, std::size_t to, std::size_t thread) {
        for (std::size_t i = from; i < to; ++i) {
            const std::size_t part = parts == team ? i : i % 2 == 0 ? i / 2 : parts - 1 - i / 2;
            const std::size_t begin = part * count / parts;
            body(Part{begin, (part + 1) * count / parts - begin, alone, thread});
        }
    });
}

/// Moves the tokens whose logits are wanted to the front of what is still needed of them, and drops the
/// others.
void keep_wanted(const Dims& d, Activations& a) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < a.tokens.size(); ++t) {
        if (!a.tokens[t].wanted) continue;
        if (kept != t) {
            a.tokens[kept] = a.tokens[t];
            std::copy_n(a.x.data() + t * d.hidden, d.hidden, a.x.data() + kept * d.hidden);
            std::copy_n(a.qkv.data() + t * d.qkv(), d.q(), a.qkv.data() + kept * d.qkv());
        }
        ++kept;
    }
    a.tokens.resize(kept);
}

/// One layer, in place on the residual stream a.x [n, D] of a.tokens.
/// @param only_wanted  from where tokens need one another no more, goes on with the wanted ones alone
void transformer_layer(const Weights& w, std::size_t layer, Activations& a, ThreadPool& pool,
                       bool only_wanted) {
    const LayerWeights& weights = w.layers[layer];
    const Dims& d = w.dims;

    // Queries, keys and values; tokens meet here, since each attends to the keys of those before it.
    each_part(w, a.tokens.size(), pool, [&](const Part& p) {
        rms_norm_rows(p.rows(a.x, d.hidden), weights.input_layernorm, w.rms_norm_eps, p.count,
                      p.rows(a.normed, d.hidden), p.pool);
        linear(p.rows(a.normed, d.hidden), p.count, d.hidden, weights.qkv, p.rows(a.qkv, d.qkv()), d.qkv(),
               p.pool);
        rotate_and_store(w, layer, a, p);
    });
    if (only_wanted) keep_wanted(d, a);

    each_part(w, a.tokens.size(), pool, [&](const Part& p) {
        float* x = p.rows(a.x, d.hidden);
        float* mixed = p.rows(a.mixed, d.hidden);
        attend(w, layer, a, p);
        linear(p.rows(a.attended, d.q()), p.count, d.q(), weights.o_proj, mixed, d.hidden, p.pool);
        add_to(x, mixed, p.count * d.hidden);

        rms_norm_rows(x, weights.post_attention_layernorm, w.rms_norm_eps, p.count,
                      p.rows(a.normed, d.hidden), p.pool);
        feed_forward(w, layer, a, p);
        add_to(x, mixed, p.count * d.hidden);
    });
}

/// Takes all memory before threads compute, where none may be refused.
void make_room(const Dims& d, Activations& a, std::size_t threads) {
    const std::size_t count = a.tokens.size();
    room(a.x, count * d.hidden);
    room(a.normed, count * d.hidden);
    room(a.qkv, count * d.qkv());
    room(a.attended, count * d.q());
    room(a.mixed, count * d.hidden);
    room(a.feed_forward, count * 2 * d.intermediate);
    make_room_for_scores(a, threads);
}

}  // namespace

void rms_norm_rows(const float* x, const Vector& weight, float eps, std::size_t rows, float* y,
                   ThreadPool& pool) {
    const std::size_t width = weight.size();
    const auto some_rows = [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r)
            rms_norm(x + r * width, weight.data(), eps, width, y + r * width);
    };
    pool.run(rows, 16, some_rows, tasks_worth(rows * width * kRowOperation));
}

void forward(const Weights& w, std::span<const TokenId> ids, std::span<KvCache> batch, LogitsFor wanted,
             float* logits, Activations& a, ThreadPool& pool, Trace* trace) {
    const Dims& d = w.dims;
    const std::size_t total = ids.size(), per_row = total / batch.size();  // B·T, T
    const auto team = static_cast<std::size_t>(pool.threads());
    // Equally many tokens at a time: a last few would read all weights for little.
    const std::size_t most = shares_tokens(w, pool) ? kTokens * team : kTokens;
    const std::size_t runs = (total + most - 1) / most;
    const std::size_t longest = (total + runs - 1) / runs;
    for (std::size_t first = 0; first < total; first += longest) {
        a.tokens.clear();
        for (std::size_t i = first; i < std::min(first + longest, total); ++i) {
            const std::size_t column = i % per_row;
            KvCache& cache = batch[i / per_row];
            const bool asked =
                wanted == LogitsFor::all || (wanted == LogitsFor::last && column + 1 == per_row);
            a.tokens.push_back({&cache, cache.length() - per_row + column, asked});
        }
        make_room(d, a, team);
        for (std::size_t t = 0; t < a.tokens.size(); ++t) {
            w.embed_tokens.row(static_cast<std::size_t>(ids[first + t]), a.x.data() + t * d.hidden);
        }
        const auto report = [&](std::int64_t layer, const std::vector<float>& states) {
            if (trace != nullptr) trace->hidden(layer, {states.data(), a.tokens.size() * d.hidden}, d.hidden);
        };

        report(-1, a.x);
        for (std::size_t layer = 0; layer < d.layers; ++layer) {
            // The last layer owes the others nothing: after its keys and values, only logits asked for
            // matter.
            transformer_layer(w, layer, a, pool, layer + 1 == d.layers && trace == nullptr);
            report(static_cast<std::int64_t>(layer), a.x);
        }
        const auto final_norm = [&] {
            rms_norm_rows(a.x.data(), w.final_norm, w.rms_norm_eps, a.tokens.size(), a.normed.data(), pool);
        };
        if (trace != nullptr) {
            final_norm();
            report(static_cast<std::int64_t>(d.layers), a.normed);
            keep_wanted(d, a);
        }
        if (a.tokens.empty()) continue;
        final_norm();
        linear(a.normed.data(), a.tokens.size(), d.hidden, w.head(), logits, d.vocab, pool);
        logits += a.tokens.size() * d.vocab;
    }
}

}  // namespace mm
