// What a checkpoint's tensors tell about its model by their names and shapes alone.
//
// The first half of ModelConfig::from_checkpoint; config_from_checkpoint.cpp holds it against config.json and
// options. Looks at no weight, except to see whether two matrices are one.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/config.hpp"

namespace mm {

struct Shapes {
    ModelConfig config;       // the fields that shapes decide
    std::int64_t q_rows = 0;  // H · K
    std::int64_t k_rows = 0;  // G · K
};

/// @throws Error{format} naming a tensor that is missing or a gap between numbered ones; Error{shape}
Shapes read_shapes(const TensorTable& table);

/// Throws Error{shape} naming file and tensor.
[[noreturn]] void bad_shape(const TensorTable& table, std::string_view name, std::string_view message);

}  // namespace mm
