// Every check there is, in the order results show them: id, what it asks, and what it is worth.
//
// Ids are stable; the part before the first dot is the artifact (its group). Judging is done by the files
// beside this one, one an artifact; the list is put together from the lab's table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lab/checks/step_checks.hpp"

namespace mm {

std::span<const CheckDefinition> check_list();
/// Every hint that a check may give, each once.
std::vector<Hint> all_hints();

/// Points of each check, in the order of check_list().
using Points = std::vector<double>;

/// By the checks' shares; all together 100.
Points default_points();

/// Points a teacher set: a JSON object from a check's id ("same.ids": 10) or a group ("temp": 20, shared by
/// its checks in proportion to their default points) to a number ≥ 0. What is not named keeps its default.
/// @param file names the text in errors
/// @throws Error{format} naming the field: not JSON, an unknown id, not a number in 0 … 1,000,000,
///         a group and a check of it both given,
///         nothing worth a point
Points parse_weights(std::string_view json, const std::string& file);

}  // namespace mm
