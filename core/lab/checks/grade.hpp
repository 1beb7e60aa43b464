// One submission judged: every check of check_list(), passed or not, with what there is to say about it.
//
// Pure: bytes of the submission's files in, a value out; the same for the native twin and the page. How a
// grade is shown is render.hpp's business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lab/checks/check_list.hpp"
#include "core/lab/checks/finding.hpp"
#include "core/lab/checks/reference.hpp"
#include "core/lab/checks/submission.hpp"

namespace mm {

/// Of Grade and of what the renderers write. Goes up when a key or a check id changes its meaning.
constexpr int kGradeVersion = 1;

struct CheckResult {
    std::string_view id;  // of check_list()
    bool ok = false;
    double max = 0;
    std::vector<Finding> findings;  // why not; when ok: notes

    double points() const { return ok ? max : 0; }
};

struct Grade {
    std::string name;                 // of the submission
    std::vector<CheckResult> checks;  // in the order of check_list()

    double score() const;
    double max() const;
    /// Every check passed, those worth nothing included.
    bool full() const;
};

/// Never throws for what a submission holds, and takes time and memory linear in its bytes.
/// @param points one number a check, see check_list.hpp
Grade grade(const Submission& submission, const GradeReference& reference, const Points& points);

}  // namespace mm
