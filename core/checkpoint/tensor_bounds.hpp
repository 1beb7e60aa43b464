// From what a checkpoint claims about a tensor to a view that cannot leave its storage.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/tensor/tensor_view.hpp"

namespace mm {

/// The number of elements.
/// @throws Error{format} naming `field` when a size is negative or the product of the sizes that are not zero
///         does not fit 63 bits.
std::int64_t checked_numel(const std::vector<std::int64_t>& shape, const char* field);

struct TensorClaim {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;  // in elements
    std::int64_t offset = 0;            // of the first element, in elements
};

/// The view of `claim` into `storage`, a part of `file`.
/// @throws Error{format} field "size", "stride" or "storage_offset": negative, overflowing, past the end of
///         the storage, or a tensor of more bytes than the whole file has (repeated by strides of 0).
TensorView bounded_view(const TensorClaim& claim, Bytes storage, Bytes file);

}  // namespace mm
