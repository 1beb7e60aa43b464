// Shape letters, xtensor aliases and element types used everywhere.
//
// Shape legend: T new tokens · S cached + new tokens · D hidden_size · H num_attention_heads · G
// num_key_value_heads · K head_dim · F intermediate_size · V vocab_size · L num_hidden_layers · E num_experts
// · B rows of a batch.
#pragma once

#include "core/tensor/xtensor.hpp"

#include "core/base/token_id.hpp"

namespace mm {

/// Row-major float32 containers. `from_shape` makes them; `xt::xtensor<float, 1>({n})` would be one element.
using Vector = xt::xtensor<float, 1>;
using Matrix = xt::xtensor<float, 2>;

}  // namespace mm
