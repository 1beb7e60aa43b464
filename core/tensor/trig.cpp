#include "core/tensor/trig.hpp"

#include <cstddef>
#include <cstdint>

#include "core/tensor/half.hpp"

namespace mm {
namespace {

constexpr double kPi2 = 1.57079632679489661923;
constexpr float kPi4 = 0.785398163f;

// The angle less the nearest multiple of π/2, and that multiple mod 4.
struct Reduced {
    double rest;  // in [-π/4, π/4]
    unsigned quadrant;
};

// 2/π in base 2^32, most significant first; enough for the largest float32 (Payne and Hanek 1983).
constexpr std::uint32_t kTwoOverPi[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599,
                                        0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0};
constexpr int kWords = sizeof kTwoOverPi / sizeof kTwoOverPi[0];

// 32 bits of 2/π, the first of weight 2^-first; bits before the point are zero.
std::uint32_t bits_of_two_over_pi(int first) {
    const auto word = [](int w) { return w < 0 || w >= kWords ? 0u : kTwoOverPi[w]; };
    const int at = first - 1 + 64;  // so that the division below rounds down
    const int w = at / 32 - 2;
    const int shift = at % 32;
    return shift == 0 ? word(w) : (word(w) << shift) | (word(w + 1) >> (32 - shift));
}

// For |angle| > π/4. The angle is m · 2^e; bits of 2/π whose product is a multiple of 4 turns are skipped, so
// 160 bits hold angle · 2/π mod 4 with an error below 2^-133: exact for any use.
Reduced reduce(float angle) {
    constexpr int kLimbs = 5;
    const std::uint32_t bits = bits_from_float(angle) & 0x7FFFFFFFu;
    const std::uint64_t m = (bits & 0x7FFFFFu) | 0x800000u;
    const int e = static_cast<int>(bits >> 23) - 150;
    std::uint32_t product[kLimbs];  // least significant first; the top two bits are the quadrant
    std::uint64_t carry = 0;
    for (int i = 0; i < kLimbs; ++i) {
        carry += m * bits_of_two_over_pi(e - 1 + 32 * (kLimbs - 1 - i));
        product[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    unsigned quadrant = product[kLimbs - 1] >> 30;
    product[kLimbs - 1] &= 0x3FFFFFFFu;
    const bool past_half = product[kLimbs - 1] >> 29;
    if (past_half) {  // measure from the next quadrant: 2^158 − product
        quadrant = (quadrant + 1) & 3;
        std::uint64_t borrow = 1;
        for (std::uint32_t& limb : product) {
            borrow += static_cast<std::uint32_t>(~limb);
            limb = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
        }
        product[kLimbs - 1] &= 0x3FFFFFFFu;
    }
    double fraction = 0;
    double weight = 1.0 / 4294967296.0 / 4294967296.0 / 4294967296.0 / 4294967296.0 / 1073741824.0;  // 2^-158
    for (const std::uint32_t limb : product) {
        fraction = fraction + limb * weight;
        weight = weight * 4294967296.0;
    }
    double rest = fraction * kPi2;
    if (past_half) rest = -rest;
    if (bits_from_float(angle) >> 31) {
        rest = -rest;
        quadrant = (4 - quadrant) & 3;
    }
    return {rest, quadrant};
}

// Taylor series; at π/4 the first term left out is below 2^-56 of the sum.
constexpr double kSin[] = {-1.0 / 6,        1.0 / 120,          -1.0 / 5040,           1.0 / 362880,
                           -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
constexpr double kCos[] = {-1.0 / 2,       1.0 / 24,          -1.0 / 720,           1.0 / 40320,
                           -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};

template <std::size_t N>
double series(const double (&terms)[N], double z) {
    double sum = 0;
    for (std::size_t i = N; i-- > 0;) sum = sum * z + terms[i];
    return sum * z;
}

}  // namespace

SinCos sin_cos(float angle) {
    const float magnitude = float_from_bits(bits_from_float(angle) & 0x7FFFFFFFu);
    if (!(magnitude <= 3.40282347e38f)) return {angle - angle, angle - angle};
    if (angle == 0) return {angle, 1.0f};  // keeps the sign of −0
    const Reduced at = magnitude <= kPi4 ? Reduced{angle, 0} : reduce(angle);
    const double z = at.rest * at.rest;
    const double s = at.rest + at.rest * series(kSin, z);
    const double c = 1.0 + series(kCos, z);
    const double sines[] = {s, c, -s, -c};
    return {static_cast<float>(sines[at.quadrant]), static_cast<float>(sines[(at.quadrant + 1) & 3])};
}

}  // namespace mm
