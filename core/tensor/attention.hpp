// Attention of query heads over one KV head's tiles.
//
// Keys are kept in tiles of 16 positions, transposed `[K][16]`, so that 16 scores are computed side by side,
// each one chain over head_dim; values in tiles `[16][K]`, so that each output is one chain over positions in
// order. Keys after the query's own position are never visited.
#pragma once

#include <cstddef>

#include "core/tensor/tiles.hpp"

namespace mm {

/// out = softmax(q · Kᵀ / sqrt(head_dim)) · V over the keys 0 … length − 1.
/// @param q        [head_dim], normalised and rotated
/// @param k_tiles  ceil(length / 16) tiles of [head_dim][16] floats, 64-byte aligned
/// @param v_tiles  as many of [16][head_dim] floats
/// @param length   ≥ 1
/// @param scores   scratch, at least ceil16(length) floats
/// @param out      [head_dim]
void attend(const float* q, std::size_t head_dim, Tiles k_tiles, Tiles v_tiles, std::size_t length,
            float* scores, float* out);

/// The same for several queries of one KV head at once (the query heads that share it, and the tokens of a
/// prefill); every row's result is bit-equal to `attend`'s.
/// @param q        [rows, head_dim], row r at q + r · q_stride
/// @param lengths  [rows], keys that row r sees
/// @param scores   scratch, at least rows · ceil16(max length) floats
/// @param out      [rows, head_dim], row r at out + r · out_stride
void attend_rows(const float* q, std::size_t q_stride, std::size_t rows, std::size_t head_dim, Tiles k_tiles,
                 Tiles v_tiles, const std::size_t* lengths, float* scores, float* out,
                 std::size_t out_stride);

}  // namespace mm
