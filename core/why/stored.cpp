#include "core/why/stored.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/tensor/half.hpp"

namespace mm::why {

std::uint16_t narrow_f16(float value) {
    const std::uint32_t bits = bits_from_float(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    std::uint32_t half;
    if (magnitude > 0x7F800000u) {
        half = 0x7E00;  // NaN
    } else if (magnitude >= 0x477FF000u) {
        half = 0x7C00;  // 65520 and more
    } else if (magnitude < 0x38800000u) {
        // Below 2^-14 a float16 is a multiple of 2^-24, which is what adding 0.5 rounds to.
        half = bits_from_float(float_from_bits(magnitude) + 0.5f) - bits_from_float(0.5f);
    } else {
        const std::uint32_t odd = magnitude >> 13 & 1;
        half = (magnitude - (112u << 23) + 0xFFFu + odd) >> 13;
    }
    return static_cast<std::uint16_t>(sign | half);
}

std::uint64_t through_f16(reference::Heads& values) {
    std::vector<std::uint16_t> stored;
    stored.reserve(values.size());
    for (const float value : values) stored.push_back(narrow_f16(value));
    std::transform(stored.begin(), stored.end(), values.begin(), widen_f16);
    return stored.size() * sizeof(std::uint16_t);
}

std::uint64_t through_int8(reference::Heads& values) {
    const std::size_t head_dim = values.shape(2);
    std::vector<std::int8_t> stored;
    std::vector<float> scales;
    for (float* row = values.data(); row != values.data() + values.size(); row += head_dim) {
        float largest = 0;
        for (std::size_t i = 0; i < head_dim; ++i) largest = std::max(largest, std::abs(row[i]));
        const float scale = largest / 127.0f;
        scales.push_back(scale);
        for (std::size_t i = 0; i < head_dim; ++i) {
            const float steps = scale > 0 ? std::nearbyint(row[i] / scale) : 0.0f;
            stored.push_back(static_cast<std::int8_t>(std::clamp(steps, -127.0f, 127.0f)));
            row[i] = static_cast<float>(stored.back()) * scale;
        }
    }
    return stored.size() * sizeof(std::int8_t) + scales.size() * sizeof(float);
}

}  // namespace mm::why
