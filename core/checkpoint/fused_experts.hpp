// Experts as transformers 5 holds them: all of a layer in one tensor.
//
//   …experts.gate_up_proj [E, 2F, D]: each expert's gate_proj, then its up_proj
//   …experts.down_proj    [E, D, F]
//
// Its save_pretrained writes them apart, but the state_dict() of its models has them like this. Names and
// layout: transformers/models/qwen3_moe/modeling_qwen3_moe.py, class Qwen3MoeExperts.
#pragma once

#include "core/checkpoint/tensor_table.hpp"

namespace mm {

/// The same table with such tensors replaced by views of each expert's matrices under their usual names,
/// "…experts.0.gate_proj.weight". Two that do not fit one another as above stay as they are.
TensorTable split_fused_experts(TensorTable table);

}  // namespace mm
