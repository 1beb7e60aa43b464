// What grades one step: its checks, what it can say, how it judges, and what it needs of the reference model.
//
// A row of the lab's table (core/lab/lab_table.hpp) holds one; a check file makes it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/by_type.hpp"
#include "core/base/steps.hpp"
#include "core/lab/checks/hint.hpp"
#include "core/lab/context.hpp"

namespace mm {

/// Ids are stable; the part before the first dot is the artifact (its group).
struct CheckDefinition {
    std::string id;
    double share = 0;  // of the points, beside those of all other checks
    std::string ko, zh, en;

    CheckDefinition(std::string_view id, double share, std::string_view ko, std::string_view zh,
                    std::string_view en);
    std::string_view group() const { return std::string_view(id).substr(0, id.find('.')); }
    std::string_view title(Language language) const;
};

/// What submissions are compared with: the reference model's own results and those of the usual mistakes,
/// each step's found by the type its check file gives it.
using GradeReference = ByType;

namespace checks {
class Judge;
}

struct StepChecks {
    std::vector<CheckDefinition> definitions;  // in the order results show them
    std::span<const Hint> hints;               // all that `judge` may say, common hints apart
    void (*judge)(checks::Judge&, const GradeReference&) = nullptr;

    /// Runs the reference model, a token a step, and leaves what `judge` needs; null: nothing is needed.
    /// Calls next() before each of its runs.
    Steps<Done> (*reference)(const LabContext&, const std::function<void()>& next, GradeReference&) = nullptr;
    std::size_t runs = 0;
};

}  // namespace mm
