// K and V as an engine that saves memory would hold them: float16, or 8 bits with one scale a head and token.
#pragma once

#include <cstdint>

#include "core/reference/forward.hpp"

namespace mm::why {

/// The float16 nearest to `value`, ties to even; past the largest one infinity. (torch.Tensor.half)
std::uint16_t narrow_f16(float value);

/// Stores `values` and reads them back, in place. @returns bytes that were stored
std::uint64_t through_f16(reference::Heads& values);

/// q = round(x / scale), ties to even, −127 … 127, scale = max |x| / 127 of each token and head, itself kept
/// in float32.
/// @returns bytes that were stored, scales included
std::uint64_t through_int8(reference::Heads& values);

}  // namespace mm::why
