// Every element type that PyTorch and safetensors can name, also those no weight has.
//
// A file may hold tensors we cannot compute with (float8, complex, quantised) as long as nobody asks for
// them: their names and sizes must be known to step over them and to refuse them by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/tensor/dtype.hpp"

namespace mm {

struct ElementType {
    std::string_view torch;    // "float32": the global is torch.float32
    std::string_view storage;  // "Float": the storage class is torch.FloatStorage; empty when there is none
    std::string_view safetensors;  // "F32"; empty when the format has no such type
    std::uint32_t bits;            // of one element; a few types are smaller than a byte
    std::optional<DType> dtype;    // set when the project has such tensors
};

/// The type with this PyTorch name ("bfloat16"); nullptr when there is none.
const ElementType* find_torch_type(std::string_view name);

/// The type that a PyTorch storage class holds ("HalfStorage"; "UntypedStorage" holds bytes); nullptr when
/// the name is no storage class of a known type.
const ElementType* find_storage_type(std::string_view class_name);

/// The type with this safetensors name ("BF16"); nullptr when there is none.
const ElementType* find_safetensors_type(std::string_view name);

}  // namespace mm
