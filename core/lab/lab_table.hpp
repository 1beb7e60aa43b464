// The lab, one row a step. Whatever lists steps, files, checks or hints reads this table; a new step is its
// own files and a row in lab_table.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/by_type.hpp"
#include "core/base/steps.hpp"
#include "core/lab/checks/step_checks.hpp"
#include "core/lab/context.hpp"

namespace mm {

/// What a step cannot do without.
struct LabNeeds {
    bool pretrain = true;
    bool sft = true;
    bool documents = true;
    bool tokenizer = true;
};

struct LabStep {
    std::string_view name;
    const char* file;
    LabNeeds needs;
    /// Leaves the step's result for `text` and for later steps, which find it by its type. Null: nothing to
    /// measure.
    Steps<Done> (*work)(const LabContext&, ByType& results);
    /// The whole file.
    std::string (*text)(const ByType& results);
    /// Whether `text` needs every other step.
    bool needs_all = false;
    StepChecks checks;
};

/// In the lab's order, which is that of running, of the artifacts and of their checks.
std::span<const LabStep> lab_table();

}  // namespace mm
