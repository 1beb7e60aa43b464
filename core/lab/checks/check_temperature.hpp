// Step 5's part of the reference.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/lab/checks/hint.hpp"
#include "core/lab/temperature.hpp"

namespace mm {

/// Different answers at each of kLabTemperatures.
using DistinctCounts = std::array<std::int64_t, kLabTemperatures.size()>;

struct TemperatureReference {
    std::vector<DistinctCounts> distinct;  // one a random stream, that of the context first
    std::vector<std::pair<Hint, DistinctCounts>> mistaken_distinct;
};

}  // namespace mm
