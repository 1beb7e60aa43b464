#include "core/tensor/attention.hpp"

#include <algorithm>
#include <array>

#include "core/model/layers.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

// Queries of one kernel call: enough to reuse each key several times, few enough to keep scores in cache.
constexpr std::size_t kQueries = 16;

/// Norm and rotation of one head in place; `norm` is empty for MiniMind-2.
void prepare_head(float* head, const Vector& norm, float eps, const float* cos, const float* sin,
                  std::size_t head_dim) {
    if (norm.size() != 0) rms_norm(head, norm.data(), eps, head_dim, head);
    rotate_half(head, cos, sin, head_dim);
}

// Scores of one kernel call, in steps of 1024 keys, so that a growing context rarely needs more.
std::size_t score_floats(const Activations& a) {
    std::size_t longest = 0;
    for (const TokenPlace& token : a.tokens) longest = std::max(longest, token.position + 1);
    return kQueries * ((longest + 1023) / 1024 * 1024);
}

}  // namespace

void rotate_and_store(const Weights& w, std::size_t layer, Activations& a, const Part& part) {
    const Dims& d = w.dims;
    const LayerWeights& weights = w.layers[layer];
    const auto some_tokens = [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = part.begin + begin; t < part.begin + end; ++t) {
            const TokenPlace& token = a.tokens[t];
            const float* cos = w.rope.cos(token.position);
            const float* sin = w.rope.sin(token.position);
            float* q = a.qkv.data() + t * d.qkv();
            float* k = q + d.q();
            const float* v = k + d.kv_heads * d.head_dim;
            for (std::size_t h = 0; h < d.heads; ++h) {
                prepare_head(q + h * d.head_dim, weights.q_norm, w.rms_norm_eps, cos, sin, d.head_dim);
            }
            for (std::size_t g = 0; g < d.kv_heads; ++g) {
                prepare_head(k + g * d.head_dim, weights.k_norm, w.rms_norm_eps, cos, sin, d.head_dim);
                token.cache->store(layer, g, token.position, k + g * d.head_dim, v + g * d.head_dim);
            }
        }
    };
    part.pool.run(part.count, 8, some_tokens, tasks_worth(part.count * d.qkv() * kRowOperation));
}

void make_room_for_scores(Activations& a, std::size_t threads) {
    room(a.scores, threads * score_floats(a));
}

namespace {

/// Tokens [begin, end) of one cache, all query heads of a KV head: the queries of a head go together, or, for
/// one token, the heads.
void attend_one_cache(const Weights& w, std::size_t layer, Activations& a, std::size_t kv_head,
                      std::size_t begin, std::size_t end, float* scores) {
    const Dims& d = w.dims;
    const bool one_token = end - begin == 1;
    const std::size_t steps = one_token ? (d.group() + kQueries - 1) / kQueries : d.group();
    std::array<std::size_t, kQueries> lengths;
    for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t first = step * (one_token ? kQueries : 1);  // of the group's heads
        const std::size_t queries = one_token ? std::min(kQueries, d.group() - first) : end - begin;
        for (std::size_t r = 0; r < queries; ++r)
            lengths[r] = a.tokens[begin + (one_token ? 0 : r)].position + 1;
        const std::size_t head = kv_head * d.group() + first;
        const KvCache& cache = *a.tokens[begin].cache;
        attend_rows(a.qkv.data() + begin * d.qkv() + head * d.head_dim, one_token ? d.head_dim : d.qkv(),
                    queries, d.head_dim, cache.k_tiles(layer, kv_head), cache.v_tiles(layer, kv_head),
                    lengths.data(), scores, a.attended.data() + begin * d.q() + head * d.head_dim,
                    one_token ? d.head_dim : d.q());
    }
}

}  // namespace

void attend(const Weights& w, std::size_t layer, Activations& a, const Part& part) {
    // A task is a KV head and up to kQueries tokens; those of one cache go together.
    const std::size_t blocks = (part.count + kQueries - 1) / kQueries;
    const std::size_t floats = score_floats(a);
    std::size_t multiply_adds = 0;
    for (std::size_t t = part.begin; t < part.begin + part.count; ++t) {
        multiply_adds += 2 * w.dims.q() * (a.tokens[t].position + 1);
    }
    const auto tasks = [&](std::size_t from, std::size_t to, std::size_t thread) {
        float* scores = a.scores.data() + (part.slot + thread) * floats;
        for (std::size_t task = from; task < to; ++task) {
            const std::size_t first = part.begin + task % blocks * kQueries;
            const std::size_t last = std::min(first + kQueries, part.begin + part.count);
            for (std::size_t begin = first, end; begin < last; begin = end) {
                end = begin + 1;
                while (end < last && a.tokens[end].cache == a.tokens[begin].cache) ++end;
                attend_one_cache(w, layer, a, task / blocks, begin, end, scores);
            }
        }
    };
    part.pool.run(w.dims.kv_heads * blocks, 1, tasks, tasks_worth(multiply_adds));
}

}  // namespace mm
