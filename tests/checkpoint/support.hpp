// Files of the golden sets, and elements of a view as numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/tensor_table.hpp"

namespace mm::test {

inline std::filesystem::path golden() {
    return std::filesystem::path(MM_SOURCE_DIR) / "tests/golden/checkpoint";
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A file in a block of exactly its size, so that a sanitizer sees one byte too many.
class Loaded {
  public:
    explicit Loaded(std::string_view bytes, const std::string& name = "file.pth")
        : bytes_(new std::byte[bytes.size()]), size_(bytes.size()) {
        if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
        table_ = std::make_unique<TensorTable>(read_checkpoint({bytes_.get(), size_}, name));
    }
    const TensorTable& table() const { return *table_; }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_;
    std::unique_ptr<TensorTable> table_;
};

/// The error that reading `bytes` ends with; fails the test when there is none.
inline Error error_of(std::string_view bytes, const std::string& name = "file.pth") {
    try {
        Loaded loaded(bytes, name);
    } catch (const Error& error) {
        EXPECT_EQ(error.context().file, name) << error.what();
        return error;
    }
    ADD_FAILURE() << name << " was read";
    return Error(ErrorKind::internal, "was read");
}

template <typename T>
T load(const std::byte* data) {
    T value;
    std::memcpy(&value, data, sizeof(T));
    return value;
}

/// IEEE binary16 by its definition: the reference for the widening in core/tensor.
inline double from_half(std::uint16_t bits) {
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

inline double element(DType dtype, const std::byte* data) {
    switch (dtype) {
        case DType::f64:
            return load<double>(data);
        case DType::f32:
            return load<float>(data);
        case DType::f16:
            return from_half(load<std::uint16_t>(data));
        case DType::bf16: {
            const std::uint32_t bits = std::uint32_t{load<std::uint16_t>(data)} << 16;
            return load<float>(reinterpret_cast<const std::byte*>(&bits));
        }
        case DType::i64:
            return static_cast<double>(load<std::int64_t>(data));
        case DType::i32:
            return load<std::int32_t>(data);
        case DType::i16:
            return load<std::int16_t>(data);
        case DType::i8:
            return load<std::int8_t>(data);
        case DType::u8:
        case DType::boolean:
            return load<std::uint8_t>(data);
    }
    return 0;
}

/// All elements in row-major order.
inline std::vector<double> elements(const TensorView& view) {
    std::vector<double> values;
    const std::int64_t numel = view.numel();
    std::vector<std::int64_t> index(view.shape.size(), 0);
    for (std::int64_t n = 0; n < numel; ++n) {
        std::int64_t at = 0;
        for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * view.strides[i];
        values.push_back(
            element(view.dtype, view.data + at * static_cast<std::int64_t>(item_size(view.dtype))));
        for (std::size_t i = index.size(); i-- > 0;) {
            if (++index[i] < view.shape[i]) break;
            index[i] = 0;
        }
    }
    return values;
}

}  // namespace mm::test
