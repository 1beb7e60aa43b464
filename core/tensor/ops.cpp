#include "core/tensor/ops.hpp"

#include <cmath>

#include "core/tensor/half.hpp"

namespace mm {
namespace {

constexpr std::size_t kLanes = 16;

float tree(float* lanes) {
    for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
        for (std::size_t i = 0; i < width; ++i) lanes[i] = lanes[i] + lanes[i + width];
    }
    return lanes[0];
}

}  // namespace

float exp_f32(float x) {
    constexpr float kMagic = 12582912.0f;  // 1.5 · 2^23: adding it rounds to an integer
    const float shifted = x * 1.44269504088896341f + kMagic;
    const float n = shifted - kMagic;
    float r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r;
    p = p + 1.0f;
    if (x != x) return x;
    if (x > 88.7228394f) return float_from_bits(0x7F800000u);
    if (x < -87.3365402f) return 0.0f;
    return float_from_bits(bits_from_float(p) + (bits_from_float(shifted) << 23));
}

void rms_norm(const float* x, const float* weight, float eps, std::size_t n, float* out) {
    float lanes[kLanes] = {};
    for (std::size_t i = 0; i < n; ++i) lanes[i % kLanes] = lanes[i % kLanes] + x[i] * x[i];
    const float scale = 1.0f / std::sqrt(tree(lanes) / static_cast<float>(n) + eps);
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i] * scale * weight[i];
}

void softmax(const float* x, std::size_t n, float* out) {
    float largest = x[0];
    for (std::size_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
    float lanes[kLanes] = {};
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = exp_f32(x[i] - largest);
        lanes[i % kLanes] = lanes[i % kLanes] + out[i];
    }
    const float sum = tree(lanes);
    for (std::size_t i = 0; i < n; ++i) out[i] = out[i] / sum;
}

void silu_multiply(float* gate, const float* up, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) gate[i] = gate[i] / (1.0f + exp_f32(-gate[i])) * up[i];
}

void add_to(float* x, const float* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = x[i] + y[i];
}

void rotate_half(float* x, const float* cos, const float* sin, std::size_t head_dim) {
    const std::size_t half = head_dim / 2;
    for (std::size_t i = 0; i < half; ++i) {
        const float a = x[i];
        const float b = x[i + half];
        x[i] = a * cos[i] - b * sin[i];
        x[i + half] = b * cos[i] + a * sin[i];
    }
}

std::size_t argmax(const float* x, std::size_t n) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < n; ++i) {
        if (x[i] > x[best]) best = i;
    }
    return best;
}

}  // namespace mm
