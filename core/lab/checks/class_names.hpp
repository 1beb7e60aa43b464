// How submissions are called in the list of a class: short, and no two alike.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace mm {

/// Escaped for a terminal, without the folders that all have in common, the middle of long ones left out.
/// Different folders stay different.
std::vector<std::string> class_names(std::span<const std::string> folders);

}  // namespace mm
