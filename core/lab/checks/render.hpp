// Grades as texts: for people, for programs, for test reports, for Gradescope, for a spreadsheet.
//
// Pure and deterministic: the same grades give the same bytes, no clock, no machine's name. Students' texts
// are escaped for the format they stand in.
#pragma once

#include <span>
#include <string>

#include "core/lab/checks/grade.hpp"

namespace mm {

/// How much is said. `none`: passed or not, and points. `hint`: what to look at; no value of the reference.
/// `full`: the expected and the found values too.
enum class Feedback { none, hint, full };

/// @throws Error{range} that lists the names
Feedback parse_feedback(std::string_view name);

struct RenderOptions {
    Language language = Language::ko;
    Feedback feedback = Feedback::hint;
    std::string ref;  // what submissions were compared with, e.g. "demo"
    std::string rng;  // name of the random stream that was asked for
};

/// Text for people. One submission: every check with its hint. Several: a line each, then a table of the
/// checks.
std::string grades_text(std::span<const Grade> grades, const RenderOptions& options);
/// {"version", "ref", "rng", "submissions": [{"dir", "score", "max", "checks": [{"id", "ok", "points", "max",
/// "hint"}]}]}; "hint" is null when there is nothing to say.
std::string grades_json(std::span<const Grade> grades, const RenderOptions& options);
/// JUnit XML as Jenkins' xUnit schema (junit-10.xsd) describes it: a suite a submission, a case a check.
std::string grades_junit(std::span<const Grade> grades, const RenderOptions& options);
/// Gradescope's results.json, of one submission.
std::string grades_gradescope(const Grade& grade, const RenderOptions& options);
/// A row a submission: dir, score, max and the points of each check. RFC 4180.
std::string grades_csv(std::span<const Grade> grades);

/// 12 → "12", 2.5 → "2.5": at most six digits after the point.
std::string points_text(double points);
/// What a check's findings say at this level; empty when nothing.
std::string hint_text(const CheckResult& check, const RenderOptions& options);

}  // namespace mm
