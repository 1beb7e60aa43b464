// The table of kernels that one instruction set provides, and the table in use.
//
// Internal to core/tensor: everybody else calls linear.hpp, attention.hpp and ops.hpp, which say what each
// operation means. Only <cstddef> and tiles.hpp are included: this header is read by files compiled for
// instruction sets that the running processor may lack, so it must bring no inline function the linker could
// keep for all.
#pragma once

#include <cstddef>

#include "core/tensor/tiles.hpp"

namespace mm {

struct Kernels {
    /// Outputs [begin · 16, min(end · 16, outputs)) of y = x Wᵀ; `panels` is panel 0. For one row, at most
    /// `streams` panels are read side by side.
    using Linear = void (*)(const float* x, std::size_t rows, std::size_t x_stride, const void* panels,
                            std::size_t inputs, std::size_t outputs, std::size_t begin, std::size_t end,
                            float* y, std::size_t y_stride, std::size_t streams);
    Linear linear_f32;
    Linear linear_f16;
    Linear linear_bf16;

    void (*attend_rows)(const float* q, std::size_t q_stride, std::size_t rows, std::size_t head_dim,
                        Tiles k_tiles, Tiles v_tiles, const std::size_t* lengths, float* scores, float* out,
                        std::size_t out_stride);

    void (*rms_norm)(const float* x, const float* weight, float eps, std::size_t n, float* out);
    void (*softmax)(const float* x, std::size_t n, float* out);
    void (*silu_multiply)(float* gate, const float* up, std::size_t n);
    void (*add_to)(float* x, const float* y, std::size_t n);
    void (*rotate_half)(float* x, const float* cos, const float* sin, std::size_t head_dim);
    std::size_t (*argmax)(const float* x, std::size_t n);
    float (*exp)(float x);

    std::size_t (*multiply_adds)(std::size_t rounds, float* x);  // x: [96], 64-byte aligned; changed
    float (*read_memory)(const float* from, std::size_t floats, std::size_t streams);
};

extern const Kernels kBaselineKernels;
#ifdef MM_X86_KERNELS
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

/// The table in use (instruction_set.hpp).
const Kernels& kernels();

}  // namespace mm
