// The forward pass itself: what Model::forward does once its arguments are checked.
#pragma once

#include <span>

#include "core/model/activations.hpp"
#include "core/model/model.hpp"
#include "core/model/weights.hpp"

namespace mm {

/// @param ids     [B, T], valid
/// @param batch   B caches that have the T tokens appended; their keys and values are written here
/// @param logits  [n, V] as Model::forward says; may be null for LogitsFor::none
void forward(const Weights& weights, std::span<const TokenId> ids, std::span<KvCache> batch, LogitsFor wanted,
             float* logits, Activations& activations, ThreadPool& pool, Trace* trace);

}  // namespace mm
