// Step 4: how many bytes the KV cache holds after 100 tokens, measured and by the formula.
//
// Makes kvbytes.json. The bytes are counted on the cache's own buffers, where K and V lie before any head
// repetition; spare capacity is kept apart. The formula never feeds the measurement.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/lab/context.hpp"

namespace mm {

constexpr std::int64_t kLabCacheTokens = 100;

struct KvBytesResult {
    std::int64_t tokens = 0;
    std::uint64_t measured_bytes = 0;       // held by K and V of all layers for those tokens
    std::uint64_t reserved_bytes = 0;       // allocated, spare capacity included
    std::array<std::int64_t, 4> k_shape{};  // (batch, length, KV heads, head_dim) of layer 0's K

    // The formula's factors.
    std::int64_t num_hidden_layers = 0;
    std::int64_t num_key_value_heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t num_attention_heads = 0;  // not in the formula: what repeat_kv would make of it

    /// 2 × layers × tokens × KV heads × head_dim × 4.
    std::uint64_t formula_bytes() const;
    /// The common mistake: the size after repeat_kv has copied each KV head for its query heads.
    std::uint64_t repeated_bytes() const;
};

/// Feeds torch.randint(3, vocab, (1, 100), generator=torch.Generator().manual_seed(0)) in one forward.
/// @throws Error{range} when the vocabulary has no id above 2 or the model has fewer than 100 positions
KvBytesResult run_kv_bytes(const LabContext& context);

/// {"tokens": 100, "measured_bytes": m, "formula_bytes": f, "k_shape": [1, 100, G, K]}
std::string to_json(const KvBytesResult& result);
/// Korean: measured beside the formula with its factors, equal or not, and what repeat_kv would add.
std::string to_markdown(const KvBytesResult& result);

}  // namespace mm
