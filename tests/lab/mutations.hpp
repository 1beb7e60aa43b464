// Mutated submissions: one change to the golden lab's own results, what it must fail and why.
//
// The lists are in grade_files_test.cpp (folders, files, JSON), grade_numbers_test.cpp (steps 1 to 6) and
// grade_texts_test.cpp (report.md, cache.py).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/lab/checks/finding.hpp"
#include "grading.hpp"

namespace mm::test {

using Findings =
    std::map<std::string, std::vector<std::string>>;  // codes of hints, by the id of the check that says them

const Grading& grading();
const SameReference& same_reference();
const KvBytesReference& kv_bytes_reference();
const TemperatureReference& temperature_reference();
const TopPReference& top_p_reference();

Findings failures(const Grade& grade);
/// What passing checks remark.
Findings notes(const Grade& grade);

std::string& text_of(Submission& submission, const std::string& file);
void edit(Submission& submission, const std::string& file, const std::function<void(Json&)>& change);
void replace(std::string& text, const std::string& from, const std::string& to);

/// The checks of `file` when it is of no use, for `reason`, and those of the report that quote it.
Findings lost_file(const std::string& file, const std::string& reason);

struct Mutation {
    std::string name;
    std::function<void(Submission&)> apply;
    Findings failed;
    Findings noted = {};
};

/// One key of a JSON file gets another value.
Mutation key(const std::string& file, const std::string& name, const Json& value, Findings failed);
/// A file gets another text.
Mutation raw(const std::string& name, const std::string& file, const std::string& text, Findings failed,
             Findings noted = {});

/// Each must fail exactly the checks it should, for exactly the reasons it should, and say so in three
/// languages.
void expect_judged(const std::vector<Mutation>& mutations);

}  // namespace mm::test
