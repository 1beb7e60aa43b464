// Reads a student's folder as hostile data: only the names asked for are opened, never through a link, never
// more than a limit.
//
// The folder's owner may be an attacker who changes it meanwhile: everything is opened relative to the
// folder's descriptor and judged by fstat on what was opened, not by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/lab/checks/submission.hpp"

namespace mm {

/// The named files of a folder, or, when it has none of them, of the one folder inside that has. Never throws
/// for what the folder is or holds, and never blocks on it.
/// @param path  as the user gave it; the last component must not be a symbolic link, those before it may be
Submission read_submission(const std::string& path, std::span<const std::string_view> names);

}  // namespace mm
