// Models of the two usual sizes with random weights, made in memory: speed does not depend on what a model
// has learnt, so measuring it needs no file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/checkpoint/tensor_table.hpp"
#include "core/model/config.hpp"

namespace mm {

/// A size by its name.
struct NamedSize {
    std::string_view name;
    ModelConfig config;
};

/// "lab" (1.15 M parameters, as the lab's models) and "minimind-3" (63.9 M).
std::span<const NamedSize> named_sizes();

/// Every tensor of `config`, filled with the same numbers for the same config, whatever the type: they are
/// numbers that float16 holds exactly, so the types compute the same logits.
class MadeUpCheckpoint {
  public:
    /// @param dtype  of the matrices: f32 or f16
    MadeUpCheckpoint(const ModelConfig& config, DType dtype);
    MadeUpCheckpoint(const MadeUpCheckpoint&) = delete;
    MadeUpCheckpoint& operator=(const MadeUpCheckpoint&) = delete;

    const TensorTable& table() const { return table_; }

  private:
    std::vector<std::byte> bytes_;
    TensorTable table_;
};

}  // namespace mm
