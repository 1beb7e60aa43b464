#include "core/tensor/ops.hpp"

#include <cassert>

#include "core/tensor/kernels/kernels.hpp"

namespace mm {

void rms_norm(const float* x, const float* weight, float eps, std::size_t n, float* out) {
    assert(n >= 1);
    kernels().rms_norm(x, weight, eps, n, out);
}

void softmax(const float* x, std::size_t n, float* out) {
    assert(n >= 1);
    kernels().softmax(x, n, out);
}

void silu_multiply(float* gate, const float* up, std::size_t n) {
    kernels().silu_multiply(gate, up, n);
}

void add_to(float* x, const float* y, std::size_t n) {
    kernels().add_to(x, y, n);
}

float exp_f32(float x) {
    return kernels().exp(x);
}

void rotate_half(float* x, const float* cos, const float* sin, std::size_t head_dim) {
    assert(head_dim % 2 == 0);
    kernels().rotate_half(x, cos, sin, head_dim);
}

std::size_t argmax(const float* x, std::size_t n) {
    assert(n >= 1);
    return kernels().argmax(x, n);
}

}  // namespace mm
