// A tensor inside somebody else's bytes: what a checkpoint reader hands out and what packing reads.
//
// Owns nothing: the bytes (a mapped file, a wasm buffer) outlive it. Elements may be unaligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor/dtype.hpp"

namespace mm {

struct TensorView {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;    // [d0, d1, …]; empty for a scalar; every size ≥ 0
    std::vector<std::int64_t> strides;  // in elements, same length as shape; ≥ 0
    const std::byte* data = nullptr;    // element [0, 0, …]; every element it reaches lies inside the file

    std::int64_t numel() const {
        std::int64_t n = 1;
        for (const std::int64_t size : shape) n *= size;
        return n;
    }
};

}  // namespace mm
