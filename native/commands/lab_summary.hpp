// A lab run on one screen: what was found, beside the three formulas.
#pragma once

#include <string>

#include "core/lab/lab.hpp"

namespace mm {

/// @param columns width of the terminal
/// @param styled  with colour
std::string lab_summary(const LabResults& results, int columns, bool styled);

}  // namespace mm
