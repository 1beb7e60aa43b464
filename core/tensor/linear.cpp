#include "core/tensor/linear.hpp"

#include <cassert>
#include <functional>

#include "core/tensor/kernels/kernels.hpp"

namespace mm {
namespace {

bool processor_prefers_one_stream() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    return __builtin_cpu_is("amd");
#else
    return false;
#endif
}

// Panels that a matrix-vector product reads side by side. From the caches many are faster everywhere, and on
// Intel's processors from main memory too. AMD's read main memory twice as fast in one long stream; a panel
// of less than some pages is no long stream.
std::size_t streams_for(std::size_t panel_bytes) {
    constexpr std::size_t kMany = 16;
    static const bool prefers_one = processor_prefers_one_stream();
    return prefers_one && panel_bytes >= 16384 ? 1 : kMany;
}

constexpr std::size_t kGroup = 4;  // panels that the widest tiles take at once

// Whether what is read of x and what is written of y share a float.
[[maybe_unused]] bool overlap(const float* x, std::size_t x_size, const float* y, std::size_t y_size) {
    const std::less<const float*> before;
    return before(x, y + y_size) && before(y, x + x_size);
}

}  // namespace

void linear_panels(const float* x, std::size_t rows, std::size_t x_stride, const PackedMatrix& weight,
                   std::size_t begin, std::size_t end, float* y, std::size_t y_stride) {
    assert(begin <= end && end <= weight.panels());
    assert(rows <= 1 || (x_stride >= weight.inputs() && y_stride >= weight.outputs()));
    const Kernels& k = kernels();
    const Kernels::Linear kernel = weight.dtype() == DType::f32   ? k.linear_f32
                                   : weight.dtype() == DType::f16 ? k.linear_f16
                                                                  : k.linear_bf16;
    const std::size_t panel_bytes = weight.inputs() * PackedMatrix::kPanel * item_size(weight.dtype());
    kernel(x, rows, x_stride, weight.panel(0), weight.inputs(), weight.outputs(), begin, end, y, y_stride,
           streams_for(panel_bytes));
}

void linear(const float* x, std::size_t rows, std::size_t x_stride, const PackedMatrix& weight, float* y,
            std::size_t y_stride, ThreadPool& pool) {
    assert(rows == 0 ||
           !overlap(x, (rows - 1) * x_stride + weight.inputs(), y, (rows - 1) * y_stride + weight.outputs()));
    const auto task = [&](std::size_t from, std::size_t to) {
        linear_panels(x, rows, x_stride, weight, from, to, y, y_stride);
    };
    const std::size_t outputs = weight.panels() * PackedMatrix::kPanel;
    pool.run(weight.panels(), kGroup, task, tasks_worth(rows * outputs * weight.inputs()));
}

}  // namespace mm
