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

#include "core/tensor/dtype.hpp"
#include "core/tensor/tensor_view.hpp"
#include "core/tensor/thread_pool.hpp"

namespace mm {

class PackedMatrix {
  public:
    static constexpr std::size_t kPanel = 16;

    PackedMatrix() = default;

    /// Packs a 2-D weight view, shape [N, K] as torch.nn.Linear keeps it; any strides; float32, float16 or
    /// bfloat16. Outputs N..ceil16(N) are zero. `has_nonfinite()` tells afterwards whether a NaN or infinity
    /// was met.
    static PackedMatrix pack(const TensorView& weight, ThreadPool& pool);

    std::size_t outputs() const { return outputs_; }  // N
    std::size_t inputs() const { return inputs_; }    // K
    std::size_t panels() const { return (outputs_ + kPanel - 1) / kPanel; }
    DType dtype() const { return dtype_; }
    std::size_t bytes() const;  // held in memory
    bool has_nonfinite() const { return has_nonfinite_; }

    /// Start of panel p, K × 16 elements of dtype(), 64-byte aligned.
    const void* panel(std::size_t p) const;

    /// Row n widened to float32: `out[K]`. An embedding look-up in a tied head reads the same panels.
    void row(std::size_t n, float* out) const;

  private:
    struct Free {
        void operator()(void* memory) const;
    };
    std::size_t outputs_ = 0;
    std::size_t inputs_ = 0;
    DType dtype_ = DType::f32;
    bool has_nonfinite_ = false;
    std::unique_ptr<void, Free> data_;
};

}  // namespace mm
