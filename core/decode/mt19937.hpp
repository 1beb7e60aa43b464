// The 32-bit Mersenne Twister (Matsumoto & Nishimura 1998), as PyTorch's CPU generator runs it.
//
// Below `TorchGenerator`, which turns its outputs into numbers the way PyTorch does. Knows no distribution.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mm {

class Mt19937 {
  public:
    explicit Mt19937(std::uint32_t seed) { this->seed(seed); }

    /// Restarts the sequence; the count starts at 0 again.
    void seed(std::uint32_t seed);

    /// The next output.
    std::uint32_t next() {
        if (position_ == kSize) refill();
        return outputs_[position_++];
    }

    /// The next out.size() outputs.
    void fill(std::span<std::uint32_t> out);

    /// Outputs handed out since the last seeding.
    std::uint64_t consumed() const { return refills_ * kSize + position_ - kSize; }

  private:
    static constexpr std::size_t kSize = 624;

    void refill();

    std::array<std::uint32_t, kSize> state_;
    std::array<std::uint32_t, kSize> outputs_;  // the tempered state, made in one go because that vectorises
    std::size_t position_ = kSize;              // of the next output; kSize = all handed out
    std::uint64_t refills_ = 0;                 // counts the state before the first refill as handed out
};

}  // namespace mm
