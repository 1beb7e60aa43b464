// y = x Wᵀ over packed panels: the operation in which inference spends its time.
#pragma once

#include <cstddef>

#include "core/tensor/packed_matrix.hpp"

namespace mm {

/// y[r, n] = Σ_k x[r, k] · W[n, k], for each (r, n) one chain k = 0, 1, …: y = 0; y = y + x·w, each operation
/// rounded to float32. (torch.nn.functional.linear without bias.) 16-bit weights must be finite: a model that
/// has others is refused when it is loaded.
/// @param x        [rows, K] float32, row r at x + r · x_stride
/// @param y        [rows, N] float32, row r at y + r · y_stride; exactly N floats a row are written; must not
/// alias x
void linear(const float* x, std::size_t rows, std::size_t x_stride, const PackedMatrix& weight, float* y,
            std::size_t y_stride, ThreadPool& pool);

/// The same for panels [begin, end) of the weight, on the calling thread alone: outputs begin · 16 up to
/// min(end · 16, N), the only ones written.
void linear_panels(const float* x, std::size_t rows, std::size_t x_stride, const PackedMatrix& weight,
                   std::size_t begin, std::size_t end, float* y, std::size_t y_stride);

}  // namespace mm
