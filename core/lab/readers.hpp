// How many readers, each with a KV cache of its own, a card holds beside the weights: an estimate by the
// formula of step 4.
#pragma once

#include <cstdint>

#include "core/model/config.hpp"

namespace mm {

struct Readers {
    std::uint64_t weight_bytes = 0;      // float32, as they are computed with; once for all readers
    std::uint64_t bytes_per_reader = 0;  // K and V of all layers for `context` tokens
    std::uint64_t readers = 0;
};

/// @param card_gigabytes   ≥ 0, of 10^9 bytes
/// @param context          ≥ 1 tokens a reader
/// @param bytes_per_value  of the caches: 4 = float32, 2 = float16
/// @throws Error{range} naming the argument
Readers readers_on_card(const ModelConfig& config, double card_gigabytes, std::int64_t context,
                        int bytes_per_value = 4);

}  // namespace mm
