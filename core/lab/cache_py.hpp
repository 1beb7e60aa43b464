// cache.py, the artifact that checks the others: steps 1 to 3 with PyTorch and MiniMind's own `generate`.
//
// The script is a real file, core/lab/cache.py, so that it can be read, linted and run as Python; the build
// embeds its bytes. Its prose is Korean: it is handed in beside report.md and read by the lab's students.
#pragma once

#include <string>

namespace mm {

/// The script's text, as it lies in core/lab/cache.py.
std::string cache_py();

}  // namespace mm
