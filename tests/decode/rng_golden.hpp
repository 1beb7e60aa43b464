// What the tests of the random streams share: golden files, bit patterns, and the draws spelt out naively.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "core/base/json.hpp"
#include "core/decode/torch_generator.hpp"

namespace mm {

inline Json golden(const std::string& name) {
    const std::string path = std::string(MM_SOURCE_DIR) + "/tests/golden/rng/" + name;
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return parse_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

inline std::uint32_t bits(float x) {
    std::uint32_t b;
    std::memcpy(&b, &x, sizeof b);
    return b;
}

inline std::uint64_t bits(double x) {
    std::uint64_t b;
    std::memcpy(&b, &x, sizeof b);
    return b;
}

inline float float_of(std::uint32_t b) {
    float x;
    std::memcpy(&x, &b, sizeof x);
    return x;
}

inline std::uint64_t hex64(const Json& text) {
    return std::stoull(text.get<std::string>(), nullptr, 16);
}

template <typename T>
std::uint32_t crc32(const std::vector<T>& values) {
    std::uint32_t crc = 0xFFFFFFFF;
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (0xEDB88320U & (0U - (crc & 1U)));
    }
    return ~crc;
}

inline TorchGenerator seeded(const Json& entry, RngStream stream = RngStream::torch) {
    TorchGenerator generator(stream);
    const Json& seed = entry.at("seed");
    generator.manual_seed(seed.is_number_unsigned() ? seed.get<std::uint64_t>()
                                                    : static_cast<std::uint64_t>(seed.get<std::int64_t>()));
    return generator;
}

inline std::vector<float> exponential(TorchGenerator& generator, std::size_t n) {
    std::vector<float> values(n);
    generator.exponential_(values);
    return values;
}

// The draws' definition, spelt out: one exponential_ of the whole shape, then the first largest quotient of
// each row.
inline std::vector<TokenId> naive_multinomial(TorchGenerator& generator, std::span<const float> probs,
                                              std::size_t rows) {
    const std::vector<float> q = exponential(generator, probs.size());
    const std::size_t vocab = probs.size() / rows;
    std::vector<TokenId> ids;
    for (std::size_t r = 0; r < rows; ++r) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < vocab; ++i) {
            if (probs[r * vocab + i] / q[r * vocab + i] > probs[r * vocab + best] / q[r * vocab + best])
                best = i;
        }
        ids.push_back(static_cast<TokenId>(best));
    }
    return ids;
}

inline std::vector<TokenId> multinomial(TorchGenerator& generator, std::span<const float> probs,
                                        std::size_t rows) {
    std::vector<TokenId> ids(rows, -1);
    generator.multinomial(probs, rows, probs.size() / rows, ids);
    return ids;
}

}  // namespace mm
