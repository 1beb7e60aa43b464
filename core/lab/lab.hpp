// The lab as a whole: runs the steps of the table (lab_table.hpp) and gives the artifacts they make.
//
// The native twin writes these texts to files and the page offers them for download: the same bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/by_type.hpp"
#include "core/base/steps.hpp"
#include "core/lab/context.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/kv_bytes.hpp"
#include "core/lab/lab_table.hpp"
#include "core/lab/temperature.hpp"
#include "core/lab/timing.hpp"
#include "core/lab/top_p.hpp"

namespace mm {

/// A file of the lab: its name without a folder and its whole text.
struct Artifact {
    std::string name;
    std::string text;
};

/// What was run, each step's result by its type (GreedyPairResult, TimingSummary, …). A step that was neither
/// asked for nor needed left nothing; of times that were given there is no TimingResult.
struct LabResults : ByType {
    std::vector<std::string_view> steps;  // asked for, in the lab's order
};

/// Names of the steps in the lab's order: cache, same, …, report.
std::vector<std::string_view> lab_steps();

/// Names of the files those steps write, in the same order: cache.py, same.json, …
std::vector<std::string_view> artifact_names();

/// What these steps need together. @param steps empty: all
LabNeeds lab_needs(const std::vector<std::string>& steps);

/// Runs the named steps and what they need ("report" needs all others), in the lab's order whatever the order
/// of `steps`; a name given twice counts once. Steps 1 and 2 share their two runs, which also warm step 3 up.
/// @param context must outlive the work
/// @param steps  empty: all
/// @param times  step 3 measured elsewhere: written and reported as given, nothing is timed
/// @throws Error{range} naming an unknown step; Error{cancelled}; whatever a step throws
Steps<LabResults> lab_in_steps(const LabContext& context, std::vector<std::string> steps = {},
                               std::optional<TimingSummary> times = {});
LabResults run_lab(const LabContext& context, const std::vector<std::string>& steps = {},
                   const std::optional<TimingSummary>& times = {});

/// The files of the steps that were asked for, in order.
std::vector<Artifact> artifacts(const LabResults& results);

}  // namespace mm
