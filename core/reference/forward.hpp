// MiniMind's forward pass, written as the paper writes it: tokens in, logits out, a cache in plain sight.
//
// Start reading here. The fast path (core/model) is tested against this file: every product and sum runs in
// the order that the kernels promise, so both give the same bits. No packing, no threads, no batches. Here
// one experiments, too: a caller may change the cache between two calls, and `Options` reaches into one.
//
// Shapes: T new tokens · S cached + new tokens · D hidden_size · H query heads · G key/value heads ·
// K head_dim · F intermediate_size · V vocab_size · L layers · E experts. (B, rows of a batch: 1 here.)
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/reference/weights.hpp"

namespace mm::reference {

using Heads = xt::xtensor<float, 3>;  // [tokens, heads, K]

/// x W: y[t, n] is one chain over the inputs, 0 + x[t, 0]·W[0, n] + x[t, 1]·W[1, n] + …, the order that the
/// kernels keep. @param x [T, inputs] @param w [inputs, outputs]
Matrix linear(const Matrix& x, const Matrix& w);

Matrix head_of(const Heads& x, std::size_t head);                  // [tokens, K]
Heads joined(const Heads& a, const Heads& b);                      // a's tokens, then b's
Matrix rows(const Matrix& x, std::size_t begin, std::size_t end);  // [end − begin, columns]

/// Keys after norm and rotation, and values, of the tokens so far.
struct LayerCache {
    Heads k;  // [S, G, K]
    Heads v;  // [S, G, K]
};

struct Cache {
    std::vector<LayerCache> layers;

    explicit Cache(const ModelConfig& config);
    std::size_t length() const { return layers.front().k.shape(0); }  // S
};

/// Where an experiment may interfere. As it is, a call is MiniMind's own.
struct Options {
    /// The position that the first new token is rotated to; the cache's length when empty.
    std::optional<std::size_t> first_position;
    /// The mask: whether the token at index `from` of the cache may look at the one at `to`. Causal.
    std::function<bool(std::size_t from, std::size_t to)> sees = [](auto from, auto to) {
        return to <= from;
    };
    /// Changes the new tokens' K and V [T, G, K] before they enter a layer's cache. Is given K before
    /// rotation, too.
    std::function<void(std::size_t layer, Heads& k, Heads& v, const Heads& unrotated)> store;
    /// Is shown a layer's attention weights [T, H, S]; each row sums to 1.
    std::function<void(std::size_t layer, const Heads& weights)> watch;
};

/// Final hidden states [T, D] of T ≥ 1 new tokens; their K and V are appended to `cache`.
/// @param ids  in [0, V)
Matrix forward(const Weights& weights, std::span<const TokenId> ids, Cache& cache,
               const Options& options = {});

/// Logits [T, V] of final hidden states.
Matrix logits(const Weights& weights, const Matrix& states);

}  // namespace mm::reference
