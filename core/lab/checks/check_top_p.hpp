// Step 6's part of the reference.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/lab/checks/hint.hpp"
#include "core/lab/top_p.hpp"

namespace mm {

/// Survivors at each of kLabThresholds.
using SurvivorCounts = std::array<std::int64_t, kLabThresholds.size()>;

struct TopPReference {
    SurvivorCounts survivors{};
    SurvivorCounts fewest{};  // what rounding may make of a cumulative probability that is as good as p …
    SurvivorCounts most{};    // … and the other way
    std::vector<std::pair<Hint, SurvivorCounts>> mistaken_survivors;
};

}  // namespace mm
