// What a config.json says about rotary embedding, in the spellings of MiniMind and of transformers 4 and 5.
#pragma once

#include "core/model/config_fields.hpp"
#include "core/model/config_file.hpp"

namespace mm {

inline constexpr double kTransformersTheta = 1e4;  // transformers' rope_theta where a file says none

/// Sets `out.rope_theta` and `out.rope_scaling`. Reads `out.family` and `out.max_position_embeddings`.
/// @throws Error naming file and field
void read_rope(const ConfigFields& fields, ConfigFile& out);

}  // namespace mm
