// A weight matrix as the kernels read it: panels of 16 outputs, `[ceil(N/16)][K][16]`.
//
// One layout serves matrix-vector and matrix-matrix products: a kernel vectorises across the 16 outputs and
// walks k in order, so every output is one chain of multiply-then-add, whatever the number of rows, threads
// or SIMD lanes. 16-bit weights stay 16-bit and are widened in the kernel: widening is exact, so the results
// are the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/tensor/dtype.hpp"
#include "core/tensor/tensor_view.hpp"
#include "core/tensor/thread_pool.hpp"

namespace mm {

/// In which type packed weights are held. The results are the same bits.
enum class Keep { type, float32 };

class PackedMatrix {
  public:
    static constexpr std::size_t kPanel = 16;

    PackedMatrix() = default;

    /// Packs a 2-D weight view, shape [N, K] as torch.nn.Linear keeps it; any strides; float32, float16 or
    /// bfloat16. Outputs N..ceil16(N) are zero. `has_nonfinite()` tells afterwards whether a NaN or infinity
    /// was met.
    /// @param keep  keeps 16-bit weights 16-bit; otherwise everything is stored as float32
    /// @param memory  where to; packed_bytes() that hold nothing the weights need. Allocated when null.
    /// @throws Error{unsupported} for other types, Error{shape} for other ranks or more than memory can hold.
    static PackedMatrix pack(const TensorView& weight, ThreadPool& pool, Keep keep = Keep::type);

    /// The same for several weights [Nᵢ, K], one below the other: their outputs come from one product (q, k
    /// and v; gate and up). Weights of different types meet in float32, which holds them all.
    /// @throws Error{shape} also when the weights differ in K, Error{internal} when there are none.
    static PackedMatrix pack(std::span<const TensorView* const> weights, ThreadPool& pool,
                             Keep keep = Keep::type, std::shared_ptr<void> memory = nullptr);
    /// What pack() will need for them. The same errors.
    static std::size_t packed_bytes(std::span<const TensorView* const> weights, Keep keep);

    /// Whether pack_in_place() takes this weight: its rows fill its panels and lie one behind the other,
    /// aligned for its type, which is kept.
    static bool fits_in_place(const TensorView& weight, Keep keep);

    /// The same as pack(), where the weight's elements lie.
    /// @param memory  what the view's bytes are in; held as long as the matrix lives
    static PackedMatrix pack_in_place(const TensorView& weight, const std::shared_ptr<std::byte>& memory);

    std::size_t outputs() const { return outputs_; }  // N
    std::size_t inputs() const { return inputs_; }    // K
    std::size_t panels() const { return (outputs_ + kPanel - 1) / kPanel; }
    DType dtype() const { return dtype_; }
    std::size_t bytes() const;  // held in memory
    bool has_nonfinite() const { return has_nonfinite_; }

    /// Start of panel p, K × 16 elements of dtype(); 64-byte aligned, unless the memory was not.
    const void* panel(std::size_t p) const;

    /// Row n widened to float32: `out[K]`. An embedding look-up in a tied head reads the same panels.
    void row(std::size_t n, float* out) const;

  private:
    PackedMatrix(std::span<const TensorView* const> weights, Keep keep);

    std::size_t outputs_ = 0;
    std::size_t inputs_ = 0;
    DType dtype_ = DType::f32;
    bool has_nonfinite_ = false;
    std::shared_ptr<void> data_;
};

}  // namespace mm
