// Element types that checkpoints hold, in the spelling of safetensors and of PyTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mm {

enum class DType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

/// Bytes of one element.
constexpr std::size_t item_size(DType dtype) {
    switch (dtype) {
        case DType::f64:
        case DType::i64:
            return 8;
        case DType::f32:
        case DType::i32:
            return 4;
        case DType::f16:
        case DType::bf16:
        case DType::i16:
            return 2;
        case DType::i8:
        case DType::u8:
        case DType::boolean:
            return 1;
    }
    return 0;
}

/// PyTorch's name: "float32", "bfloat16", "int64", ….
constexpr std::string_view to_string(DType dtype) {
    switch (dtype) {
        case DType::f64:
            return "float64";
        case DType::f32:
            return "float32";
        case DType::f16:
            return "float16";
        case DType::bf16:
            return "bfloat16";
        case DType::i64:
            return "int64";
        case DType::i32:
            return "int32";
        case DType::i16:
            return "int16";
        case DType::i8:
            return "int8";
        case DType::u8:
            return "uint8";
        case DType::boolean:
            return "bool";
    }
    return "?";
}

/// True for the three types that weights may have; each widens to float32 exactly.
constexpr bool is_weight_dtype(DType dtype) {
    return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

}  // namespace mm
