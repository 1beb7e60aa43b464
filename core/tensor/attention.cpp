#include "core/tensor/attention.hpp"

#include <cmath>

#include "core/tensor/ops.hpp"

namespace mm {

void attend(const float* q, std::size_t head_dim, const float* const* k_tiles, const float* const* v_tiles,
            std::size_t length, float* scores, float* out) {
    const float scale = 1.0f / std::sqrt(static_cast<float>(head_dim));
    float largest = 0;
    for (std::size_t s = 0; s < length; ++s) {
        const float* keys = k_tiles[s / kTile] + s % kTile;
        float sum = 0;
        for (std::size_t i = 0; i < head_dim; ++i) sum = sum + q[i] * keys[i * kTile];
        scores[s] = sum * scale;
        largest = s == 0 || scores[s] > largest ? scores[s] : largest;
    }
    float lanes[kTile] = {};
    for (std::size_t s = 0; s < length; ++s) {
        scores[s] = exp_f32(scores[s] - largest);
        lanes[s % kTile] = lanes[s % kTile] + scores[s];
    }
    for (std::size_t width = kTile / 2; width > 0; width /= 2) {
        for (std::size_t i = 0; i < width; ++i) lanes[i] = lanes[i] + lanes[i + width];
    }
    for (std::size_t i = 0; i < head_dim; ++i) {
        float sum = 0;
        for (std::size_t s = 0; s < length; ++s)
            sum = sum + scores[s] * v_tiles[s / kTile][s % kTile * head_dim + i];
        out[i] = sum / lanes[0];
    }
}

void attend_rows(const float* q, std::size_t q_stride, std::size_t rows, std::size_t head_dim,
                 const float* const* k_tiles, const float* const* v_tiles, const std::size_t* lengths,
                 float* scores, float* out, std::size_t out_stride) {
    for (std::size_t r = 0; r < rows; ++r) {
        attend(q + r * q_stride, head_dim, k_tiles, v_tiles, lengths[r], scores, out + r * out_stride);
    }
}

}  // namespace mm
