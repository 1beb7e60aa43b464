// How much memory a model will take, known before any is taken.
//
// Between ModelConfig (dimensions) and Weights (which takes the memory): whoever loads a model can compare
// with what there is and refuse with two numbers instead of being stopped half way.
#pragma once

#include <cstdint>

#include "core/checkpoint/tensor_table.hpp"
#include "core/model/config.hpp"

namespace mm {

/// Bytes of the packed weights: 16-bit tensors stay 16-bit, rows are rounded up to panels of 16, a tied head
/// counts once. Tensors that only the table knows are left out as Weights leaves them out.
/// @param config  validated, from the same table
std::uint64_t weight_bytes(const TensorTable& table, const ModelConfig& config);

}  // namespace mm
