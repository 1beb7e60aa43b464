#include "core/decode/mt19937.hpp"

#include <algorithm>

namespace mm {
namespace {

// One step of the recurrence: the top bit of `a` and the rest of `b`, halved in GF(2), onto `far`.
std::uint32_t twist(std::uint32_t a, std::uint32_t b, std::uint32_t far) {
    const std::uint32_t mixed = (a & 0x80000000U) | (b & 0x7FFFFFFFU);
    return far ^ (mixed >> 1) ^ ((b & 1U) * 0x9908B0DFU);
}

std::uint32_t temper(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680U;
    y ^= (y << 15) & 0xEFC60000U;
    y ^= y >> 18;
    return y;
}

}  // namespace

void Mt19937::seed(std::uint32_t seed) {
    state_[0] = seed;
    for (std::uint32_t i = 1; i < kSize; ++i) {
        state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
    }
    position_ = kSize;
    refills_ = 0;
}

void Mt19937::fill(std::span<std::uint32_t> out) {
    while (!out.empty()) {
        if (position_ == kSize) refill();
        const std::size_t count = std::min(out.size(), kSize - position_);
        std::copy_n(outputs_.data() + position_, count, out.data());
        position_ += count;
        out = out.subspan(count);
    }
}

void Mt19937::refill() {
    constexpr std::size_t kFar = 397;
    // Split where the far word wraps around, so that each loop is free of the modulo.
    for (std::size_t i = 0; i < kSize - kFar; ++i) {
        state_[i] = twist(state_[i], state_[i + 1], state_[i + kFar]);
    }
    for (std::size_t i = kSize - kFar; i < kSize - 1; ++i) {
        state_[i] = twist(state_[i], state_[i + 1], state_[i + kFar - kSize]);
    }
    state_[kSize - 1] = twist(state_[kSize - 1], state_[0], state_[kFar - 1]);
    for (std::size_t i = 0; i < kSize; ++i) outputs_[i] = temper(state_[i]);
    position_ = 0;
    ++refills_;
}

}  // namespace mm
