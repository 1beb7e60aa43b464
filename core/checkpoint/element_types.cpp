#include "core/checkpoint/element_types.hpp"

namespace mm {
namespace {

// torch/storage.py `_dtype_to_storage_type_map` and `_new_dtypes`; safetensors `tensor.rs` `Dtype`.
constexpr ElementType kTypes[] = {
    {"float32", "Float", "F32", 32, DType::f32},
    {"float16", "Half", "F16", 16, DType::f16},
    {"bfloat16", "BFloat16", "BF16", 16, DType::bf16},
    {"float64", "Double", "F64", 64, DType::f64},
    {"int64", "Long", "I64", 64, DType::i64},
    {"int32", "Int", "I32", 32, DType::i32},
    {"int16", "Short", "I16", 16, DType::i16},
    {"int8", "Char", "I8", 8, DType::i8},
    {"uint8", "Byte", "U8", 8, DType::u8},
    {"bool", "Bool", "BOOL", 8, DType::boolean},
    {"uint16", "", "U16", 16, {}},
    {"uint32", "", "U32", 32, {}},
    {"uint64", "", "U64", 64, {}},
    {"complex32", "ComplexHalf", "", 32, {}},
    {"complex64", "ComplexFloat", "C64", 64, {}},
    {"complex128", "ComplexDouble", "", 128, {}},
    {"float8_e4m3fn", "", "F8_E4M3", 8, {}},
    {"float8_e5m2", "", "F8_E5M2", 8, {}},
    {"float8_e8m0fnu", "", "F8_E8M0", 8, {}},
    {"float8_e4m3fnuz", "", "F8_E4M3FNUZ", 8, {}},
    {"float8_e5m2fnuz", "", "F8_E5M2FNUZ", 8, {}},
    {"float4_e2m1fn_x2", "", "", 8, {}},
    {"float4_e2m1fn", "", "F4", 4, {}},
    {"float6_e2m3", "", "F6_E2M3", 6, {}},
    {"float6_e3m2", "", "F6_E3M2", 6, {}},
    {"qint8", "QInt8", "", 8, {}},
    {"quint8", "QUInt8", "", 8, {}},
    {"qint32", "QInt32", "", 32, {}},
    {"quint4x2", "QUInt4x2", "", 8, {}},
    {"quint2x4", "QUInt2x4", "", 8, {}},
    {"bits8", "", "", 8, {}},
    {"bits16", "", "", 16, {}},
    {"bits1x8", "", "", 8, {}},
    {"bits2x4", "", "", 8, {}},
    {"bits4x2", "", "", 8, {}},
    {"int1", "", "", 8, {}},
    {"int2", "", "", 8, {}},
    {"int3", "", "", 8, {}},
    {"int4", "", "", 8, {}},
    {"int5", "", "", 8, {}},
    {"int6", "", "", 8, {}},
    {"int7", "", "", 8, {}},
    {"uint1", "", "", 8, {}},
    {"uint2", "", "", 8, {}},
    {"uint3", "", "", 8, {}},
    {"uint4", "", "", 8, {}},
    {"uint5", "", "", 8, {}},
    {"uint6", "", "", 8, {}},
    {"uint7", "", "", 8, {}},
};

const ElementType* find_by(std::string_view ElementType::*name, std::string_view wanted) {
    if (wanted.empty()) return nullptr;
    for (const ElementType& type : kTypes) {
        if (type.*name == wanted) return &type;
    }
    return nullptr;
}

}  // namespace

const ElementType* find_torch_type(std::string_view name) {
    return find_by(&ElementType::torch, name);
}

const ElementType* find_storage_type(std::string_view class_name) {
    constexpr std::string_view kSuffix = "Storage";
    if (!class_name.ends_with(kSuffix)) return nullptr;
    class_name.remove_suffix(kSuffix.size());
    if (class_name == "Untyped" || class_name == "_Untyped") class_name = "Byte";
    return find_by(&ElementType::storage, class_name);
}

const ElementType* find_safetensors_type(std::string_view name) {
    return find_by(&ElementType::safetensors, name);
}

}  // namespace mm
