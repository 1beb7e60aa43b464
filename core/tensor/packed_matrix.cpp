#include "core/tensor/packed_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "core/base/error.hpp"
#include "core/tensor/half.hpp"

namespace mm {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanel;
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

// Where a view's elements lie; elements may be unaligned.
struct Source {
    const std::byte* data;
    std::size_t row_stride, column_stride;  // in bytes
    std::size_t rows, columns;
};

// Packs panels [begin, end); true when every element is finite. Bits is an unsigned integer of the element's
// size: elements are moved, never computed with. `exponent` masks the bits that are all set in infinities
// and NaNs.
template <typename Bits>
bool pack_panels(const Source& from, Bits exponent, std::size_t begin, std::size_t end, Bits* packed) {
    constexpr std::size_t kColumns = 64;  // a stretch whose sixteen rows and packed form stay in the cache
    bool finite = true;
    for (std::size_t p = begin; p < end; ++p) {
        const std::size_t rows = std::min(kPanel, from.rows - p * kPanel);
        const std::byte* corner = from.data + p * kPanel * from.row_stride;
        for (std::size_t k = 0; k < from.columns; k += kColumns) {
            const std::size_t columns = std::min(kColumns, from.columns - k);
            Bits* to = packed + (p * from.columns + k) * kPanel;
            if (rows < kPanel) std::memset(to, 0, columns * kPanel * sizeof(Bits));
            if (from.column_stride == sizeof(Bits)) {
                for (std::size_t n = 0; n < rows; ++n) {
                    Bits line[kColumns];
                    std::memcpy(line, corner + n * from.row_stride + k * sizeof(Bits),
                                columns * sizeof(Bits));
                    for (std::size_t i = 0; i < columns; ++i) to[i * kPanel + n] = line[i];
                }
            } else {
                for (std::size_t i = 0; i < columns; ++i) {
                    for (std::size_t n = 0; n < rows; ++n) {
                        std::memcpy(&to[i * kPanel + n],
                                    corner + n * from.row_stride + (k + i) * from.column_stride,
                                    sizeof(Bits));
                    }
                }
            }
            Bits infinite = 0;
            for (std::size_t i = 0; i < columns * kPanel; ++i) {
                infinite |= static_cast<Bits>((to[i] & exponent) == exponent);
            }
            finite = finite && infinite == 0;
        }
    }
    return finite;
}

}  // namespace

void PackedMatrix::Free::operator()(void* memory) const {
    ::operator delete(memory, kAlign);
}

PackedMatrix PackedMatrix::pack(const TensorView& weight, ThreadPool& pool) {
    if (!is_weight_dtype(weight.dtype)) {
        throw Error(ErrorKind::unsupported,
                    "weights of type " + std::string(to_string(weight.dtype)) + " cannot be computed with");
    }
    if (weight.shape.size() != 2) throw Error(ErrorKind::shape, "a weight matrix has two dimensions");
    const auto rows = static_cast<std::uint64_t>(weight.shape[0]);
    const auto columns = static_cast<std::uint64_t>(weight.shape[1]);
    const std::size_t size = item_size(weight.dtype);
    // A view with stride 0 may claim any shape whatever the size of its file.
    constexpr std::uint64_t kMost = std::numeric_limits<std::size_t>::max() / 2;
    if (rows > kMost - kPanel || (columns > 0 && (rows + kPanel) * size > kMost / columns)) {
        throw Error(ErrorKind::shape, "a weight matrix of this shape does not fit in memory");
    }
    PackedMatrix packed;
    packed.outputs_ = static_cast<std::size_t>(rows);
    packed.inputs_ = static_cast<std::size_t>(columns);
    packed.dtype_ = weight.dtype;
    packed.data_.reset(::operator new(packed.bytes(), kAlign));
    const Source from{weight.data, static_cast<std::size_t>(weight.strides[0]) * size,
                      static_cast<std::size_t>(weight.strides[1]) * size, packed.outputs_, packed.inputs_};
    std::atomic<bool> finite{true};
    // A task of some 64 thousand elements is worth another thread.
    const std::size_t grain = std::max<std::size_t>(1, 4096 / std::max<std::size_t>(1, packed.inputs_));
    pool.run(packed.panels(), grain, [&](std::size_t begin, std::size_t end) {
        void* to = packed.data_.get();
        bool all = true;
        if (weight.dtype == DType::f32) {
            all = pack_panels<std::uint32_t>(from, 0x7F800000u, begin, end, static_cast<std::uint32_t*>(to));
        } else {
            const std::uint16_t exponent = weight.dtype == DType::f16 ? 0x7C00 : 0x7F80;
            all = pack_panels<std::uint16_t>(from, exponent, begin, end, static_cast<std::uint16_t*>(to));
        }
        if (!all) finite.store(false, std::memory_order_relaxed);
    });
    packed.has_nonfinite_ = !finite;
    return packed;
}

std::size_t PackedMatrix::bytes() const {
    return panels() * kPanel * inputs_ * item_size(dtype_);
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
