#include "core/tensor/linear.hpp"

#include "core/tensor/half.hpp"

namespace mm {

void linear(const float* x, std::size_t rows, std::size_t x_stride, const PackedMatrix& weight, float* y,
            std::size_t y_stride, ThreadPool&) {
    const std::size_t inputs = weight.inputs();
    for (std::size_t n = 0; n < weight.outputs(); ++n) {
        const void* panel = weight.panel(n / PackedMatrix::kPanel);
        for (std::size_t r = 0; r < rows; ++r) {
            float sum = 0;
            for (std::size_t k = 0; k < inputs; ++k) {
                const std::size_t at = k * PackedMatrix::kPanel + n % PackedMatrix::kPanel;
                const float w = weight.dtype() == DType::f32 ? static_cast<const float*>(panel)[at]
                                : weight.dtype() == DType::f16
                                    ? widen_f16(static_cast<const std::uint16_t*>(panel)[at])
                                    : widen_bf16(static_cast<const std::uint16_t*>(panel)[at]);
                sum = sum + x[r * x_stride + k] * w;
            }
            y[r * y_stride + n] = sum;
        }
    }
}

}  // namespace mm
