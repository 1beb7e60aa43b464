// The type of a token id, for every layer from text to the lab.
#pragma once

#include <cstdint>

namespace mm {

/// A token id as tokenizers and checkpoints count them: 0 … V − 1.
using TokenId = std::int32_t;

}  // namespace mm
