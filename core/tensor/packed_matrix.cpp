#include "core/tensor/packed_matrix.hpp"

#include <cmath>
#include <cstring>
#include <new>
#include <string>

#include "core/base/error.hpp"
#include "core/tensor/half.hpp"

namespace mm {
namespace {

constexpr std::align_val_t kAlign{64};

float widen(const void* at, DType dtype) {
    if (dtype == DType::f32) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return dtype == DType::f16 ? widen_f16(bits) : widen_bf16(bits);
}

}  // namespace

void PackedMatrix::Free::operator()(void* memory) const {
    ::operator delete(memory, kAlign);
}

PackedMatrix PackedMatrix::pack(const TensorView& weight, ThreadPool&) {
    if (!is_weight_dtype(weight.dtype)) {
        throw Error(ErrorKind::unsupported,
                    "weights of type " + std::string(to_string(weight.dtype)) + " cannot be computed with");
    }
    if (weight.shape.size() != 2) throw Error(ErrorKind::shape, "a weight matrix has two dimensions");
    PackedMatrix packed;
    packed.outputs_ = static_cast<std::size_t>(weight.shape[0]);
    packed.inputs_ = static_cast<std::size_t>(weight.shape[1]);
    packed.dtype_ = weight.dtype;
    const std::size_t size = item_size(weight.dtype);
    packed.data_.reset(::operator new(packed.bytes(), kAlign));
    auto* to = static_cast<std::byte*>(packed.data_.get());
    std::memset(to, 0, packed.bytes());
    for (std::size_t n = 0; n < packed.outputs_; ++n) {
        for (std::size_t k = 0; k < packed.inputs_; ++k) {
            const std::byte* from = weight.data + (n * static_cast<std::size_t>(weight.strides[0]) +
                                                   k * static_cast<std::size_t>(weight.strides[1])) *
                                                      size;
            if (!std::isfinite(widen(from, weight.dtype))) packed.has_nonfinite_ = true;
            std::memcpy(to + ((n / kPanel * packed.inputs_ + k) * kPanel + n % kPanel) * size, from, size);
        }
    }
    return packed;
}

std::size_t PackedMatrix::bytes() const {
    return (outputs_ + kPanel - 1) / kPanel * kPanel * inputs_ * item_size(dtype_);
}

const void* PackedMatrix::panel(std::size_t p) const {
    return static_cast<const std::byte*>(data_.get()) + p * inputs_ * kPanel * item_size(dtype_);
}

void PackedMatrix::row(std::size_t n, float* out) const {
    const std::size_t size = item_size(dtype_);
    const auto* from = static_cast<const std::byte*>(panel(n / kPanel)) + n % kPanel * size;
    for (std::size_t k = 0; k < inputs_; ++k) out[k] = widen(from + k * kPanel * size, dtype_);
}

}  // namespace mm
