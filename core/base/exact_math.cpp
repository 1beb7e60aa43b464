#include "core/base/exact_math.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace mm {
namespace {

struct LogEntry {
    double inverse;    // of the interval's centre, at most 10 significant bits
    double high, low;  // −ln(inverse); high is a multiple of 2^-42
};

constexpr LogEntry kLogTable[] = {
#include "core/base/log_table.inc"
};

// ln 2 in two parts; the first is a multiple of 2^-42, so k · kLn2High + LogEntry::high is exact.
constexpr double kLn2High = 0x1.62e42fefa3800p-1;
constexpr double kLn2Low = 0x1.ef35793c76730p-45;

std::uint64_t bits_of(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

double from_bits(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// An unevaluated sum: |low| is at most half an ulp of high.
struct DoubleDouble {
    double high, low;
};

// a + b exactly, in any order (Knuth).
DoubleDouble two_sum(double a, double b) {
    const double sum = a + b;
    const double from_b = sum - a;
    return {sum, (a - (sum - from_b)) + (b - from_b)};
}

// a + b exactly, for |a| ≥ |b| or a = 0 (Dekker).
DoubleDouble fast_two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

// a² exactly (Dekker, Veltkamp's splitting), for |a| < 1.
DoubleDouble two_square(double a) {
    const double scaled = a * 0x1p27 + a;
    const double high = scaled - (scaled - a);
    const double low = a - high;
    const double square = a * a;
    return {square, ((high * high - square) + 2 * high * low) + low * low};
}

// ln(1 + r.high + r.low) for |r| < 2^-7.6: r − r²/2 in double-double, the rest in double.
DoubleDouble log1p_small(DoubleDouble r) {
    const double x = r.high;
    const DoubleDouble square = two_square(x);
    const double tail =
        1.0 / 3 +
        x * (-1.0 / 4 + x * (1.0 / 5 + x * (-1.0 / 6 + x * (1.0 / 7 + x * (-1.0 / 8 + x * (1.0 / 9))))));
    DoubleDouble sum = fast_two_sum(x, -0.5 * square.high);
    sum.low += (r.low - 0.5 * square.low - x * r.low) + x * square.high * tail;
    return sum;
}

}  // namespace

double exact_log(double x) {
    constexpr std::uint64_t kInfinity = std::uint64_t{0x7FF} << 52;
    std::uint64_t bits = bits_of(x);
    int exponent = -1023;
    if (bits - (std::uint64_t{1} << 52) >= kInfinity - (std::uint64_t{1} << 52)) {
        // Zero, subnormal, negative, infinite or NaN.
        if (bits << 1 == 0) return -std::numeric_limits<double>::infinity();
        if (bits == kInfinity || x != x) return x;
        if (bits >> 63 != 0) return std::numeric_limits<double>::quiet_NaN();
        bits = bits_of(x * 0x1p54);
        exponent -= 54;
    }

    // x = 2^exponent · m with m in about [sqrt(1/2), sqrt(2)), so that no logarithm near 0 is a difference.
    exponent += static_cast<int>(bits >> 52);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const auto index = static_cast<unsigned>(((fraction >> 44) + 1) >> 1);  // nearest 1/128
    double m = from_bits((std::uint64_t{1023} << 52) | fraction);
    if (index >= 53) {
        m *= 0.5;
        ++exponent;
    }

    // r = m · inverse − 1 exactly: each half of m times the short inverse is exact, and so is subtracting 1.
    const LogEntry& entry = kLogTable[index];
    const double m_high = from_bits(bits_of(m) & ~((std::uint64_t{1} << 26) - 1));
    const DoubleDouble r = two_sum(m_high * entry.inverse - 1, (m - m_high) * entry.inverse);
    const DoubleDouble small = log1p_small(r);

    const double base = exponent * kLn2High + entry.high;
    const DoubleDouble sum = fast_two_sum(base, small.high);
    return sum.high + (sum.low + ((exponent * kLn2Low + entry.low) + small.low));
}

}  // namespace mm
