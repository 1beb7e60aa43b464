#include "core/lab/checks/reference.hpp"

#include <algorithm>

#include "core/lab/lab_table.hpp"

namespace mm {

Steps<GradeReference> reference_in_steps(const LabContext& context) {
    std::size_t runs = 0;
    for (const LabStep& step : lab_table()) runs += step.checks.runs;
    std::size_t done = 0;
    const std::function<void()> next = [&] {
        context.check_cancelled();
        context.progress("reference", std::min(1.0, static_cast<double>(done++) / static_cast<double>(runs)));
    };
    GradeReference reference;
    for (const LabStep& step : lab_table()) {
        if (step.checks.reference != nullptr) co_await step.checks.reference(context, next, reference);
    }
    co_return reference;
}

GradeReference compute_reference(const LabContext& context) {
    return run(reference_in_steps(context));
}

}  // namespace mm
