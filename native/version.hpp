// Which program this is.
#pragma once

#include <string>

namespace mm {

/// "1.0.0"
std::string version();
/// "1.0.0, commit 0123456789ab, kernels avx512": the commit "unknown" when it was not built from a git
/// checkout, with "-dirty" when files differed from it; the kernels are those this processor gets.
std::string version_line();

}  // namespace mm
