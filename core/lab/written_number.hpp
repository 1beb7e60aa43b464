// How much a decimal number says: a student writes 6.18 for what was 6.1834.
//
// A comparison of written numbers allows what rounding to the digits as written can have changed, and no
// more.
#pragma once

#include <string_view>

namespace mm {

/// Half a unit of the last digit written: "6.18" → 0.005, "12" → 0.5, "1.5e-3" → 0.00005.
double half_last_digit(std::string_view number);

/// What a number may have been before it was rounded to its last digit.
struct Interval {
    double low = 0;
    double high = 0;

    /// Whether some number lies in both; a hair of slack keeps a border case inside.
    bool meets(const Interval& other) const;
};

/// @param value   what `number` reads as
/// @param number  a JSON number, as written
Interval before_rounding(double value, std::string_view number);

/// All that above ÷ below can be. Both hold positive numbers.
Interval ratio_of(const Interval& above, const Interval& below);

}  // namespace mm
