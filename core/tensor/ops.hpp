// Row operations around the products. Each has a fixed order of arithmetic that no SIMD width, thread count
// or target changes: 16 virtual lanes (element i belongs to lane i mod 16, visited in order) and one fixed
// tree over the lanes.
#pragma once

#include <cstddef>

namespace mm {

/// out[i] = x[i] · (1 / sqrt(mean(x²) + eps)) · weight[i]  (MiniMind's RMSNorm; rsqrt as IEEE sqrt and
/// division).
/// @param n    row length
/// @param out  may be x
void rms_norm(const float* x, const float* weight, float eps, std::size_t n, float* out);

/// out[i] = exp(x[i] − max x) / Σ exp(x − max x). −inf entries give exactly 0. (torch.softmax, float32)
/// @param out  may be x
void softmax(const float* x, std::size_t n, float* out);

/// gate[i] = silu(gate[i]) · up[i], silu(v) = v / (1 + exp(−v)).
void silu_multiply(float* gate, const float* up, std::size_t n);

/// x[i] += y[i]
void add_to(float* x, const float* y, std::size_t n);

/// exp in float32 by our own polynomial: the same bits everywhere, within 1 ulp; exp(−inf) = 0, exp(NaN) =
/// NaN, overflow gives +inf, results below the smallest normal number are flushed to 0.
float exp_f32(float x);

/// Rotary embedding of one head in place, MiniMind's rotate_half form:
/// x[i] = x[i]·cos[i] − x[i + K/2]·sin[i];  x[i + K/2] = x[i + K/2]·cos[i] + x[i]·sin[i]  for i < K/2.
/// @param cos, sin  [K/2] of this position
void rotate_half(float* x, const float* cos, const float* sin, std::size_t head_dim);

/// Index of the largest element; ties go to the lower index. NaN is never the largest; 0 when all are NaN.
/// n ≥ 1.
std::size_t argmax(const float* x, std::size_t n);

}  // namespace mm
