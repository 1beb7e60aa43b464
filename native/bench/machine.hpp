// What the system tells about the machine a measurement was made on.
#pragma once

#include "native/bench/bench.hpp"

namespace mm {

/// All but the numbers of threads, which the caller chooses.
BenchMachine describe_machine();

}  // namespace mm
