#include "core/lab/written_number.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>

namespace mm {

double half_last_digit(std::string_view number) {
    int exponent = 0;
    if (const std::size_t e = number.find_first_of("eE"); e != number.npos) {
        // A double's exponent has three digits; more of them only say "far away".
        constexpr std::size_t kDigits = 6;
        exponent = std::atoi(std::string(number.substr(e + 1, kDigits)).c_str());
        number = number.substr(0, e);
    }
    const std::size_t point = number.find('.');
    const auto fraction = point == number.npos ? 0 : static_cast<int>(number.size() - point - 1);
    return 0.5 * std::pow(10.0, exponent - fraction);
}

bool Interval::meets(const Interval& other) const {
    // The ends are decimal fractions computed in double.
    constexpr double kHair = 1e-12;
    return low <= other.high * (1 + kHair) && other.low <= high * (1 + kHair);
}

Interval before_rounding(double value, std::string_view number) {
    const double half = half_last_digit(number);
    return {value - half, value + half};
}

Interval ratio_of(const Interval& above, const Interval& below) {
    return {std::max(0.0, above.low) / below.high,
            below.low > 0 ? above.high / below.low : std::numeric_limits<double>::infinity()};
}

}  // namespace mm
