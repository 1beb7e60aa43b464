#include "core/why/attention.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <utility>

#include "core/base/join.hpp"
#include "core/tensor/half.hpp"
#include "core/tensor/ops.hpp"

namespace mm::why {
namespace {

using reference::Cache;
using reference::head_of;
using reference::Heads;

void check_below(const char* field, std::size_t value, std::int64_t count) {
    if (value < static_cast<std::size_t>(count)) return;
    throw_error(ErrorKind::range, join({value, " is not in 0 … ", count - 1}), {.field = field});
}

void check_text(const ModelConfig& c, std::span<const TokenId> ids) {
    check_ids(c, ids);
    if (ids.size() <= static_cast<std::size_t>(c.max_position_embeddings)) return;
    throw_error(ErrorKind::range,
                join({"the text goes past the model's last position ", c.max_position_embeddings - 1}),
                {.field = "max_position_embeddings"});
}

void check_finite(const Matrix& values) {
    if (std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) return;
    throw_error(ErrorKind::format, "the model gives NaN or infinite values");
}

std::uint64_t differing_bits(const Heads& a, const Heads& b) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        count += std::bitset<32>(bits_from_float(a.data()[i]) ^ bits_from_float(b.data()[i])).count();
    }
    return count;
}

template <class Array>
double largest_difference(const Array& a, const Array& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(double{a.data()[i]} - double{b.data()[i]}));
    }
    return largest;
}

Steps<Attention> attend(const reference::Weights& weights, std::vector<TokenId> ids, std::size_t layer,
                        std::size_t head) {
    constexpr std::size_t kTokens = 16;  // between two rests: a token's bits do not depend on it
    Attention out;
    out.kv_head = head / static_cast<std::size_t>(weights.config.num_attention_heads /
                                                  weights.config.num_key_value_heads);
    out.weights = Matrix({ids.size(), ids.size()}, 0.0f);
    Cache cache(weights.config);
    for (std::size_t first = 0; first < ids.size(); first += kTokens) {
        const std::size_t count = std::min(kTokens, ids.size() - first);
        reference::Options options;
        options.watch = [&](std::size_t l, const Heads& seen) {  // [count, H, first + count]
            if (l != layer) return;
            for (std::size_t t = 0; t < count; ++t)
                std::copy_n(&seen(t, head, 0), first + count, &out.weights(first + t, 0));
        };
        reference::forward(weights, {ids.data() + first, count}, cache, options);
        co_yield kRest;
    }
    out.k = head_of(cache.layers[layer].k, out.kv_head);
    out.v = head_of(cache.layers[layer].v, out.kv_head);
    for (const Matrix* values : {&out.weights, &out.k, &out.v}) check_finite(*values);
    co_return out;
}

Steps<OldKv> compare_old_kv(const reference::Weights& weights, std::vector<TokenId> ids,
                            std::size_t prompt_length, std::size_t layer, std::size_t kv_head, bool causal) {
    reference::Options options;
    if (!causal) options.sees = [](std::size_t, std::size_t) { return true; };
    Cache stored(weights.config), again(weights.config);
    Matrix with_cache = reference::forward(weights, {ids.data(), prompt_length}, stored, options);
    for (std::size_t t = prompt_length; t < ids.size(); ++t) {
        with_cache = reference::forward(weights, {&ids[t], 1}, stored, options);
        co_yield kRest;
    }
    const Matrix without_cache = reference::forward(weights, ids, again, options);

    OldKv out;
    for (std::size_t l = 0; l < stored.layers.size(); ++l) {
        const auto& a = stored.layers[l];
        const auto& b = again.layers[l];
        out.layers.push_back({differing_bits(a.k, b.k) + differing_bits(a.v, b.v),
                              largest_difference(a.k, b.k), largest_difference(a.v, b.v)});
        out.bits += 32 * (a.k.size() + a.v.size());
        out.bits_differing += out.layers.back().bits_differing;
    }
    out.k_stored = head_of(stored.layers[layer].k, kv_head);
    out.v_stored = head_of(stored.layers[layer].v, kv_head);
    out.k_again = head_of(again.layers[layer].k, kv_head);
    out.v_again = head_of(again.layers[layer].v, kv_head);
    const auto last_logits = [&](const Matrix& states) {
        const std::size_t rows = states.shape(0);
        return reference::logits(weights, reference::rows(states, rows - 1, rows));
    };
    const Matrix a = last_logits(with_cache), b = last_logits(without_cache);
    for (const Matrix* values : std::initializer_list<const Matrix*>{&a, &b, &out.k_stored, &out.k_again,
                                                                     &out.v_stored, &out.v_again}) {
        check_finite(*values);
    }
    out.largest_logit_difference = largest_difference(a, b);
    out.next_with_cache = static_cast<TokenId>(argmax(a.data(), a.size()));
    out.next_without_cache = static_cast<TokenId>(argmax(b.data(), b.size()));
    co_return out;
}

}  // namespace

void check_ids(const ModelConfig& c, std::span<const TokenId> ids) {
    if (ids.empty()) throw_error(ErrorKind::range, "there is no token to feed", {.field = "ids"});
    for (const TokenId id : ids) {
        if (id >= 0 && id < c.vocab_size) continue;
        throw_error(ErrorKind::range, join({"token id ", id, " is not in 0 … ", c.vocab_size - 1}),
                    {.field = "ids"});
    }
}

Steps<Attention> attention_in_steps(const reference::Weights& weights, std::vector<TokenId> ids,
                                    std::size_t layer, std::size_t head) {
    check_text(weights.config, ids);
    if (ids.size() > kMostAttentionTokens) {
        throw_error(ErrorKind::range,
                    join({ids.size(), " tokens are too many to look at: at most ", kMostAttentionTokens}),
                    {.field = "ids"});
    }
    check_below("layer", layer, weights.config.num_hidden_layers);
    check_below("head", head, weights.config.num_attention_heads);
    return attend(weights, std::move(ids), layer, head);
}

Steps<OldKv> old_kv_in_steps(const reference::Weights& weights, std::vector<TokenId> ids,
                             std::size_t prompt_length, std::size_t layer, std::size_t kv_head, bool causal) {
    check_text(weights.config, ids);
    check_below("layer", layer, weights.config.num_hidden_layers);
    check_below("kvHead", kv_head, weights.config.num_key_value_heads);
    if (prompt_length < 1 || prompt_length > ids.size()) {
        throw_error(ErrorKind::range, join({"is not in 1 … ", ids.size()}), {.field = "promptLength"});
    }
    return compare_old_kv(weights, std::move(ids), prompt_length, layer, kv_head, causal);
}

}  // namespace mm::why
