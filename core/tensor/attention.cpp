#include "core/tensor/attention.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "core/tensor/kernels/kernels.hpp"

namespace mm {
namespace {

[[maybe_unused]] bool aligned(Tiles tiles) {
    return reinterpret_cast<std::uintptr_t>(tiles.buffers[0] + tiles.offset) % 64 == 0;
}

}  // namespace

void attend(const float* q, std::size_t head_dim, Tiles k_tiles, Tiles v_tiles, std::size_t length,
            float* scores, float* out) {
    assert(length >= 1 && aligned(k_tiles));
    kernels().attend_rows(q, 0, 1, head_dim, k_tiles, v_tiles, &length, scores, out, 0);
}

void attend_rows(const float* q, std::size_t q_stride, std::size_t rows, std::size_t head_dim, Tiles k_tiles,
                 Tiles v_tiles, const std::size_t* lengths, float* scores, float* out,
                 std::size_t out_stride) {
    assert(rows == 0 || (*std::min_element(lengths, lengths + rows) >= 1 && aligned(k_tiles)));
    assert(rows <= 1 || out_stride >= head_dim);
    kernels().attend_rows(q, q_stride, rows, head_dim, k_tiles, v_tiles, lengths, scores, out, out_stride);
}

}  // namespace mm
