#include "core/tensor/packed_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/tensor/half.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace mm {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanel;

// One row of a weight: its elements lie `step` bytes apart and may be unaligned.
struct Row {
    const std::byte* data = nullptr;
    std::size_t step = 0;
    DType dtype = DType::f32;
};

// Weights one below the other, read row by row.
class Stack {
  public:
    explicit Stack(std::span<const TensorView* const> weights) : weights_(weights) {}

    // Row n of the stack; `data` is null past the last.
    Row row(std::size_t n) const {
        for (const TensorView* weight : weights_) {
            const auto rows = static_cast<std::size_t>(weight->shape[0]);
            if (n < rows) {
                const std::size_t size = item_size(weight->dtype);
                return {weight->data + n * static_cast<std::size_t>(weight->strides[0]) * size,
                        static_cast<std::size_t>(weight->strides[1]) * size, weight->dtype};
            }
            n -= rows;
        }
        return {};
    }

  private:
    std::span<const TensorView* const> weights_;
};

// A row's elements [from, from + count) at every sixteenth place of `to`. Bits is an unsigned integer of the
// element's size: elements are moved, not computed with. Only a row of another type is widened.
template <typename Bits>
void scatter(const Row& row, std::size_t from, std::size_t count, Bits* to) {
    const std::byte* at = row.data + from * row.step;
    if (item_size(row.dtype) != sizeof(Bits)) {
        for (std::size_t i = 0; i < count; ++i) {
            to[i * kPanel] = static_cast<Bits>(bits_from_float(load_float(at + i * row.step, row.dtype)));
        }
    } else if (row.step == sizeof(Bits)) {
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(&to[i * kPanel], at + i * sizeof(Bits), sizeof(Bits));
    } else {
        for (std::size_t i = 0; i < count; ++i) std::memcpy(&to[i * kPanel], at + i * row.step, sizeof(Bits));
    }
}

// Packs panels [begin, end); true when every element is finite. `exponent` masks the bits that are all set in
// infinities and NaNs.
template <typename Bits>
bool pack_panels(const Stack& stack, std::size_t columns, Bits exponent, std::size_t begin, std::size_t end,
                 void* packed) {
    constexpr std::size_t kColumns = 64;  // a stretch whose sixteen rows and packed form stay in the cache
    bool finite = true;
    for (std::size_t p = begin; p < end; ++p) {
        Row rows[kPanel];
        for (std::size_t n = 0; n < kPanel; ++n) rows[n] = stack.row(p * kPanel + n);
        for (std::size_t k = 0; k < columns; k += kColumns) {
            const std::size_t count = std::min(kColumns, columns - k);
            Bits* to = static_cast<Bits*>(packed) + (p * columns + k) * kPanel;
            if (rows[kPanel - 1].data == nullptr) std::memset(to, 0, count * kPanel * sizeof(Bits));
            for (std::size_t n = 0; n < kPanel && rows[n].data != nullptr; ++n)
                scatter(rows[n], k, count, to + n);
            unsigned infinite = 0;
            for (std::size_t i = 0; i < count * kPanel; ++i) infinite |= (to[i] & exponent) == exponent;
            finite = finite && infinite == 0;
        }
    }
    return finite;
}

bool pack_panels(const Stack& stack, std::size_t columns, DType dtype, std::size_t begin, std::size_t end,
                 void* packed) {
    if (dtype == DType::f32) {
        return pack_panels<std::uint32_t>(stack, columns, 0x7F800000u, begin, end, packed);
    }
    const std::uint16_t exponent = dtype == DType::f16 ? 0x7C00 : 0x7F80;
    return pack_panels<std::uint16_t>(stack, columns, exponent, begin, end, packed);
}

void check_weights(std::span<const TensorView* const> weights) {
    if (weights.empty()) throw_error(ErrorKind::internal, "no weights to pack");
    std::uint64_t rows = PackedMatrix::kPanel;
    for (const TensorView* weight : weights) {
        if (!is_weight_dtype(weight->dtype)) {
            throw_error(ErrorKind::unsupported,
                        join({"weights of type ", to_string(weight->dtype), " cannot be computed with"}));
        }
        if (weight->shape.size() != 2) throw_error(ErrorKind::shape, "a weight matrix has two dimensions");
        const auto columns = static_cast<std::uint64_t>(weight->shape[1]);
        if (weight->shape[1] != weights.front()->shape[1]) {
            throw_error(ErrorKind::shape, "weights of different input sizes cannot be joined");
        }
        // A view with stride 0 may claim any shape whatever the size of its file.
        constexpr std::uint64_t kMost = std::numeric_limits<std::size_t>::max() / 2 / sizeof(float);
        rows = std::min(kMost, rows) + std::min(kMost, static_cast<std::uint64_t>(weight->shape[0]));
        if (rows > kMost / std::max<std::uint64_t>(1, columns)) {
            throw_error(ErrorKind::shape, "a weight matrix of this shape does not fit in memory");
        }
    }
}

// Weights are read through once a token: with huge pages the processor looks up far fewer addresses. Only
// whole huge pages are asked for, so no memory is taken for nothing.
#ifdef __linux__
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::align_val_t alignment_for(std::size_t bytes) {
    return bytes >= kHugePage ? std::align_val_t{kHugePage} : std::align_val_t{64};
}
#else
std::align_val_t alignment_for(std::size_t) {
    return std::align_val_t{64};
}
#endif

std::shared_ptr<void> allocate(std::size_t bytes) {
    const auto alignment = alignment_for(bytes);
    std::shared_ptr<void> memory(::operator new(bytes, alignment),
                                 [alignment](void* old) { ::operator delete(old, alignment); });
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= kHugePage) madvise(memory.get(), bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
    return memory;
}

}  // namespace

PackedMatrix::PackedMatrix(std::span<const TensorView* const> weights, Keep keep) {
    check_weights(weights);
    inputs_ = static_cast<std::size_t>(weights.front()->shape[1]);
    dtype_ = weights.front()->dtype;
    for (const TensorView* weight : weights) {
        outputs_ += static_cast<std::size_t>(weight->shape[0]);
        if (weight->dtype != dtype_ || keep == Keep::float32) dtype_ = DType::f32;
    }
}

PackedMatrix PackedMatrix::pack(const TensorView& weight, ThreadPool& pool, Keep keep) {
    const TensorView* const one = &weight;
    return pack(std::span(&one, 1), pool, keep);
}

std::size_t PackedMatrix::packed_bytes(std::span<const TensorView* const> weights, Keep keep) {
    return PackedMatrix(weights, keep).bytes();
}

PackedMatrix PackedMatrix::pack(std::span<const TensorView* const> weights, ThreadPool& pool, Keep keep,
                                std::shared_ptr<void> memory) {
    PackedMatrix packed(weights, keep);
    packed.data_ = memory ? std::move(memory) : allocate(packed.bytes());
    const Stack stack(weights);
    std::atomic<bool> finite{true};
    // A task of some 64 thousand elements is worth another thread.
    const std::size_t grain = std::max<std::size_t>(1, 4096 / std::max<std::size_t>(1, packed.inputs_));
    pool.run(packed.panels(), grain, [&](std::size_t begin, std::size_t end) {
        if (!pack_panels(stack, packed.inputs_, packed.dtype_, begin, end, packed.data_.get())) {
            finite.store(false, std::memory_order_relaxed);
        }
    });
    packed.has_nonfinite_ = !finite;
    return packed;
}

bool PackedMatrix::fits_in_place(const TensorView& weight, Keep keep) {
    const bool whole = weight.shape.size() == 2 && weight.shape[0] % std::int64_t{kPanel} == 0 &&
                       weight.strides[1] == 1 && weight.strides[0] == weight.shape[1];
    const bool same_type =
        weight.dtype == DType::f32 || (is_weight_dtype(weight.dtype) && keep == Keep::type);
    return whole && same_type && reinterpret_cast<std::uintptr_t>(weight.data) % item_size(weight.dtype) == 0;
}

PackedMatrix PackedMatrix::pack_in_place(const TensorView& weight, const std::shared_ptr<std::byte>& memory) {
    const TensorView* const one = &weight;
    PackedMatrix packed(std::span(&one, 1), Keep::type);
    if (!fits_in_place(weight, Keep::type)) throw_error(ErrorKind::internal, "cannot be packed in place");
    std::byte* const start = memory.get() + (weight.data - memory.get());
    packed.data_ = {memory, start};
    // Sixteen rows and their panel are the same bytes, in another order.
    const std::size_t bytes = kPanel * packed.inputs_ * item_size(weight.dtype);
    std::vector<std::byte> panel(bytes);
    TensorView rows = weight;
    rows.shape[0] = kPanel;
    const TensorView* const sixteen = &rows;
    for (std::size_t p = 0; p < packed.panels(); ++p) {
        rows.data = start + p * bytes;
        const Stack stack(std::span(&sixteen, 1));
        if (!pack_panels(stack, packed.inputs_, weight.dtype, 0, 1, panel.data()))
            packed.has_nonfinite_ = true;
        std::memcpy(start + p * bytes, panel.data(), bytes);
    }
    return packed;
}

std::size_t PackedMatrix::bytes() const {
    return panels() * kPanel * inputs_ * item_size(dtype_);
}

const void* PackedMatrix::panel(std::size_t p) const {
    assert(p < panels());
    return static_cast<const std::byte*>(data_.get()) + p * inputs_ * kPanel * item_size(dtype_);
}

void PackedMatrix::row(std::size_t n, float* out) const {
    assert(n < outputs_);
    const std::size_t size = item_size(dtype_);
    const auto* from = static_cast<const std::byte*>(panel(n / kPanel)) + n % kPanel * size;
    for (std::size_t k = 0; k < inputs_; ++k) out[k] = load_float(from + k * kPanel * size, dtype_);
}

}  // namespace mm
