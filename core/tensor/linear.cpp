#include "core/tensor/linear.hpp"

#include <algorithm>

#include "core/tensor/kernels/kernels.hpp"

namespace mm {
namespace {

// Multiply-adds that are worth waking another thread for, some five microseconds of work.
constexpr std::size_t kWorthSharing = 100'000;

}  // namespace

void linear_panels(const float* x, std::size_t rows, std::size_t x_stride, const PackedMatrix& weight,
                   std::size_t begin, std::size_t end, float* y, std::size_t y_stride) {
    const Kernels& k = kernels();
    const Kernels::Linear kernel = weight.dtype() == DType::f32   ? k.linear_f32
                                   : weight.dtype() == DType::f16 ? k.linear_f16
                                                                  : k.linear_bf16;
    kernel(x, rows, x_stride, weight.panel(0), weight.inputs(), weight.outputs(), begin, end, y, y_stride);
}

std::size_t linear_grain(const PackedMatrix& weight, std::size_t rows) {
    constexpr std::size_t kGroup = 4;  // panels that the widest tiles take at once
    const std::size_t work = std::max<std::size_t>(1, weight.inputs() * PackedMatrix::kPanel * rows);
    return std::max<std::size_t>(1, kWorthSharing / (work * kGroup)) * kGroup;
}

void linear(const float* x, std::size_t rows, std::size_t x_stride, const PackedMatrix& weight, float* y,
            std::size_t y_stride, ThreadPool& pool) {
    pool.run(weight.panels(), linear_grain(weight, rows), [&](std::size_t begin, std::size_t end) {
        linear_panels(x, rows, x_stride, weight, begin, end, y, y_stride);
    });
}

}  // namespace mm
