// What submissions are compared with, computed once for any number of them: every step's own part, in the
// order of the lab's table.
#pragma once

#include "core/base/steps.hpp"
#include "core/lab/checks/step_checks.hpp"
#include "core/lab/context.hpp"

namespace mm {

/// Runs everything, a token a step. Progress is told as the step "reference".
/// @param context must outlive the work: both models, both tokenizers and the documents; no clock is needed
/// @throws Error what the lab's steps throw; Error{cancelled}
Steps<GradeReference> reference_in_steps(const LabContext& context);
GradeReference compute_reference(const LabContext& context);

}  // namespace mm
