// Inputs by a small generator of our own, and the operations as plain loops in the defined order of
// arithmetic: what every kernel must equal bit for bit. Independent of core/ but for the types.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/tensor/dtype.hpp"
#include "core/tensor/tensor_view.hpp"

namespace mm::reference {

inline std::uint32_t bits(float value) {
    std::uint32_t b;
    std::memcpy(&b, &value, sizeof b);
    return b;
}
inline float value(std::uint32_t b) {
    float v;
    std::memcpy(&v, &b, sizeof v);
    return v;
}

/// The same numbers on every target: a linear congruential generator and exact conversions.
class Lcg {
  public:
    explicit Lcg(std::uint32_t seed) : state_(seed) {}
    std::uint32_t next() {
        state_ = state_ * 1664525u + 1013904223u;
        return state_ >> 8;  // the low bits are poor
    }
    float uniform() { return static_cast<float>(static_cast<std::int32_t>(next()) - (1 << 23)) / (1 << 23); }
    std::vector<float> floats(std::size_t n, float scale = 1) {
        std::vector<float> out(n);
        for (float& x : out) x = uniform() * scale;
        return out;
    }

  private:
    std::uint32_t state_;
};

/// By the definition of IEEE binary16, in double.
inline float widen_f16(std::uint16_t h) {
    const int exponent = (h >> 10) & 31;
    const int fraction = h & 1023;
    double v = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) {
        v = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
    }
    return static_cast<float>(h & 0x8000 ? -v : v);
}
inline float widen_bf16(std::uint16_t h) {
    return value(std::uint32_t{h} << 16);
}

/// A weight [N, K] of random finite bits of its type, its view and its float32 values.
struct Weight {
    std::vector<std::byte> bytes;
    TensorView view;
    std::vector<float> floats;  // [N, K]

    Weight(DType dtype, std::size_t n, std::size_t k, Lcg& random)
        : bytes(n * k * item_size(dtype)), floats(n * k) {
        for (std::size_t i = 0; i < n * k; ++i) {
            if (dtype == DType::f32) {
                floats[i] = random.uniform();
                std::memcpy(&bytes[i * 4], &floats[i], 4);
                continue;
            }
            auto h = static_cast<std::uint16_t>(random.next());
            if (dtype == DType::f16) {
                // Every exponent but infinity's, subnormals among them.
                if ((h & 0x7C00) == 0x7C00) h = static_cast<std::uint16_t>(h & ~0x4000);
                floats[i] = widen_f16(h);
            } else {
                h = static_cast<std::uint16_t>((h & 0x807F) | ((100 + random.next() % 32) << 7));
                floats[i] = widen_bf16(h);
            }
            std::memcpy(&bytes[i * 2], &h, 2);
        }
        view.dtype = dtype;
        view.shape = {static_cast<std::int64_t>(n), static_cast<std::int64_t>(k)};
        view.strides = {static_cast<std::int64_t>(k), 1};
        view.data = bytes.data();
    }
};

inline std::vector<float> linear(const std::vector<float>& x, const std::vector<float>& w, std::size_t rows,
                                 std::size_t n, std::size_t k) {
    std::vector<float> y(rows * n);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t o = 0; o < n; ++o) {
            float sum = 0;
            for (std::size_t i = 0; i < k; ++i) {
                const float product = x[r * k + i] * w[o * k + i];
                sum = sum + product;
            }
            y[r * n + o] = sum;
        }
    }
    return y;
}

/// Cephes' expf as core/tensor/kernels/exp.inc defines it.
inline float exp(float x) {
    if (std::isnan(x)) return x;
    if (x > 0x1.62e42ep+6f) return std::numeric_limits<float>::infinity();
    if (x < -0x1.5d589ep+6f) return 0;
    const float shifted = x * 1.44269504088896341f + 12582912.0f;
    const float n = shifted - 12582912.0f;
    float r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    for (const float c :
         {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f}) {
        p = p * r + c;
    }
    p = p * (r * r) + r;
    p = p + 1.0f;
    return static_cast<float>(std::ldexp(static_cast<double>(p), static_cast<int>(n)));
}

/// Sixteen virtual lanes and the fixed tree.
inline float lane_sum(const std::vector<float>& x) {
    float lanes[16] = {};
    for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 16] = lanes[i % 16] + x[i];
    for (int width = 8; width > 0; width /= 2) {
        for (int i = 0; i < width; ++i) lanes[i] = lanes[i] + lanes[i + width];
    }
    return lanes[0];
}

/// exp(x − max) and their sum.
inline float exponentials(std::vector<float>& x) {
    float largest = -std::numeric_limits<float>::infinity();
    for (const float v : x) largest = v > largest ? v : largest;
    for (float& v : x) v = exp(v - largest);
    return lane_sum(x);
}

inline std::vector<float> softmax(std::vector<float> x) {
    const float sum = exponentials(x);
    for (float& v : x) v = v / sum;
    return x;
}

inline std::vector<float> rms_norm(const std::vector<float>& x, const std::vector<float>& weight, float eps) {
    std::vector<float> squares = x;
    for (float& v : squares) v = v * v;
    const float scale = 1.0f / std::sqrt(lane_sum(squares) / static_cast<float>(x.size()) + eps);
    std::vector<float> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * scale * weight[i];
    return out;
}

inline std::vector<float> silu_multiply(const std::vector<float>& gate, const std::vector<float>& up) {
    std::vector<float> out(gate.size());
    for (std::size_t i = 0; i < gate.size(); ++i) out[i] = gate[i] / (1.0f + exp(-gate[i])) * up[i];
    return out;
}

/// Keys and values as plain [length, K].
inline std::vector<float> attend(const float* q, std::size_t head_dim, const std::vector<float>& keys,
                                 const std::vector<float>& values, std::size_t length) {
    const float scale = 1.0f / std::sqrt(static_cast<float>(head_dim));
    std::vector<float> p(length);
    for (std::size_t s = 0; s < length; ++s) {
        float sum = 0;
        for (std::size_t i = 0; i < head_dim; ++i) {
            const float product = q[i] * keys[s * head_dim + i];
            sum = sum + product;
        }
        p[s] = sum * scale;
    }
    const float total = exponentials(p);
    std::vector<float> out(head_dim);
    for (std::size_t i = 0; i < head_dim; ++i) {
        float sum = 0;
        for (std::size_t s = 0; s < length; ++s) {
            const float product = p[s] * values[s * head_dim + i];
            sum = sum + product;
        }
        out[i] = sum / total;
    }
    return out;
}

}  // namespace mm::reference
