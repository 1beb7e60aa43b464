// Where the attention kernels find keys and values: in tiles of 16 positions.
//
// Includes nothing but <cstddef> and defines no function, because files compiled for other instruction sets
// read it (core/tensor/kernels/kernels.hpp).
#pragma once

#include <cstddef>

namespace mm {

constexpr std::size_t kTile = 16;  // positions in a tile

/// The tiles of one layer and KV head. Tile t, of positions 16 t … 16 t + 15, begins at
/// buffers[t] + offset.
struct Tiles {
    const float* const* buffers;
    std::size_t offset;  // in floats
};

}  // namespace mm
