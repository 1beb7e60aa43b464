// MCG31m1, the multiplicative congruential generator of Intel MKL (L'Ecuyer 1999), with MKL's seeding and its
// single-precision uniform. PyTorch 2.0 to 2.6 draws exponentials from it in builds with MKL.
//
// x[n+1] = 1132489760 · x[n] mod (2^31 − 1); the first output is the seed's.
#pragma once

#include <cstdint>

namespace mm {

class Mcg31 {
  public:
    /// As vslNewStream(VSL_BRNG_MCG31, seed).
    explicit Mcg31(std::uint32_t seed) : state_(seed % kModulus != 0 ? seed % kModulus : 1) {}

    /// The next uniform number in (0, 1]: x as a float32 (rounded) times 2^-31. Exactly 1 for the 63 largest
    /// x.
    float next_uniform() {
        const float u = static_cast<float>(state_) * 0x1p-31F;
        state_ = static_cast<std::uint32_t>(std::uint64_t{state_} * 1132489760U % kModulus);
        return u;
    }

  private:
    static constexpr std::uint32_t kModulus = 0x7FFFFFFF;
    std::uint32_t state_;
};

}  // namespace mm
