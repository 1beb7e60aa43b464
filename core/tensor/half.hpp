// 16-bit floats widened to float32: exact, one value at a time.
//
// Used where single elements are read; the kernels widen whole vectors by the same rules
// (core/tensor/kernels/widen.inc). Narrowing is nobody's business here.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/tensor/dtype.hpp"

namespace mm {

inline float float_from_bits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline std::uint32_t bits_from_float(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// bfloat16 is the upper half of a float32.
inline float widen_bf16(std::uint16_t bits) {
    return float_from_bits(std::uint32_t{bits} << 16);
}

/// IEEE binary16; subnormals exact, infinities and NaNs kept.
inline float widen_f16(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
    const std::uint32_t shifted = std::uint32_t{bits & 0x7FFFu} << 13;
    if (shifted >= 31u << 23) return float_from_bits(sign | 0x7F800000u | (shifted & 0x7FFFFFu));
    if (shifted >= 1u << 23) return float_from_bits(sign | (shifted + (112u << 23)));
    // Below 2^-14 the fraction has no hidden one: put one in, and take it away as a number.
    const float magnitude = float_from_bits(shifted + (113u << 23)) - float_from_bits(113u << 23);
    return float_from_bits(sign | bits_from_float(magnitude));
}

/// The element at `at`, which need not be aligned.
/// @param dtype  float32, float16 or bfloat16
inline float load_float(const void* at, DType dtype) {
    if (dtype == DType::f32) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return dtype == DType::f16 ? widen_f16(bits) : widen_bf16(bits);
}

}  // namespace mm
