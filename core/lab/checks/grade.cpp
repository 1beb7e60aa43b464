#include "core/lab/checks/grade.hpp"

#include <algorithm>
#include <cmath>

#include "core/lab/checks/judge.hpp"
#include "core/lab/lab_table.hpp"

namespace mm {
namespace {

// Sums of points like 2.857142… must not read 19.999999999999996.
double rounded(double points) {
    constexpr double kUnits = 1e6;
    return std::round(points * kUnits) / kUnits;
}

}  // namespace

const SubmittedFile& Submission::file(std::string_view file_name) const {
    static const SubmittedFile kMissing;
    const auto found = files.find(file_name);
    return found == files.end() ? kMissing : found->second;
}

double Grade::score() const {
    double sum = 0;
    for (const CheckResult& check : checks) sum += check.points();
    return rounded(sum);
}

double Grade::max() const {
    double sum = 0;
    for (const CheckResult& check : checks) sum += check.max;
    return rounded(sum);
}

bool Grade::full() const {
    return std::all_of(checks.begin(), checks.end(), [](const CheckResult& check) { return check.ok; });
}

Grade grade(const Submission& submission, const GradeReference& reference, const Points& points) {
    checks::Judge judge(submission, points);
    checks::check_folder(judge);
    for (const LabStep& step : lab_table()) step.checks.judge(judge, reference);
    return {.name = submission.name, .checks = std::move(judge).results()};
}

}  // namespace mm
