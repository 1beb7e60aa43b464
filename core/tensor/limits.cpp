#include "core/tensor/limits.hpp"

#include <cassert>
#include <cstdint>

#include "core/tensor/kernels/kernels.hpp"

namespace mm {

std::size_t multiply_adds(std::size_t rounds) {
    // Numbers that stay ordinary however often they are added up.
    alignas(64) float x[6 * 16];
    for (std::size_t i = 0; i < 6 * 16; ++i) x[i] = 1e-3f * static_cast<float>(i + 1);
    return kernels().multiply_adds(rounds, x);
}

float read_memory(const float* from, std::size_t floats, std::size_t streams) {
    assert(reinterpret_cast<std::uintptr_t>(from) % 64 == 0);
    return kernels().read_memory(from, floats, streams);
}

}  // namespace mm
