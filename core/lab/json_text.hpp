// How numbers and JSON become text in the lab's artifacts: one policy, the same bytes on every target.
//
// The law is Python's `json.dumps`: ", " and ": " between things, doubles as `repr` writes them (fewest
// digits that read back to the same value). So cache.py, the native twin and the page write the same text for
// the same result, and report.md can quote a number exactly as the JSON file holds it. Reading JSON is
// core/base/json.hpp's business.
#pragma once

#include <string>

#include "core/base/json.hpp"

namespace mm {

/// The shortest decimal that reads back to `value`, laid out as Python's repr: 0.5, 3.0, 1e-05, 1e+16. Does
/// not depend on the locale or on the C++ library.
/// @throws Error{internal} for NaN and infinity, which JSON cannot hold.
std::string number_text(double value);

/// `value` rounded to `digits` significant digits (never fewer than its integer part has), in plain notation
/// without trailing zeros: for derived numbers in prose. rounded_text(56.3636, 4) = "56.36".
/// @throws Error{internal} for NaN and infinity.
std::string rounded_text(double value, int digits);

/// One JSON document on one line, newline at the end, as `json.dumps(value) + "\n"` writes it.
std::string json_text(const Json& value);

}  // namespace mm
