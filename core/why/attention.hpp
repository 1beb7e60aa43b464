// Who looks at whom, and whether what earlier tokens left in the cache still holds: two figures, from the
// reference forward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/steps.hpp"
#include "core/base/token_id.hpp"
#include "core/reference/forward.hpp"

namespace mm::why {

/// The attention of one layer and head over a text.
struct Attention {
    std::size_t kv_head = 0;  // whose K and V the head reads: head / (H / G)
    Matrix weights;           // [T, T]: row = the token that looks; 0 above the diagonal
    Matrix k;                 // [T, K] after norm and rotation
    Matrix v;                 // [T, K]
};

constexpr std::size_t kMostAttentionTokens = 2048;  // T² weights are held, and told

/// @throws Error{range} naming ids: there are none, or one is outside the vocabulary
void check_ids(const ModelConfig& config, std::span<const TokenId> ids);

/// Rests after every few tokens.
/// @param weights  must outlive the work
/// @param layer, head  from 0
/// @param ids  1 … 2048
/// @throws Error{range} naming ids, layer or head, at once
Steps<Attention> attention_in_steps(const reference::Weights& weights, std::vector<TokenId> ids,
                                    std::size_t layer, std::size_t head);

/// Old K and V against the same computed again, over all heads of a layer.
struct LayerDifference {
    std::uint64_t bits_differing = 0;
    double largest_k = 0;
    double largest_v = 0;
};

struct OldKv {
    // One layer and KV head, [T, K]: as stored when the token came, and as computed again now.
    Matrix k_stored, k_again;
    Matrix v_stored, v_again;
    std::vector<LayerDifference> layers;
    std::uint64_t bits = 0;  // 2 · L · T · G · K · 32
    std::uint64_t bits_differing = 0;
    // For the next token: with the cache, and computed again without it.
    double largest_logit_difference = 0;
    TokenId next_with_cache = 0;
    TokenId next_without_cache = 0;
};

/// The prompt enters a cache as a whole, every later token alone; then the whole text is computed again at
/// once. With the causal mask nothing differs. Without it tokens see later ones, as far as there are any yet.
/// @param prompt_length  1 … ids.size()
/// @param layer, kv_head from 0
/// @throws Error{range} as above
Steps<OldKv> old_kv_in_steps(const reference::Weights& weights, std::vector<TokenId> ids,
                             std::size_t prompt_length, std::size_t layer, std::size_t kv_head, bool causal);

}  // namespace mm::why
