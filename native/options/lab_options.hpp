// The options of commands that work on the lab's own inputs: where models and documents come from.
#pragma once

#include "native/loading/lab_source.hpp"
#include "native/options/option.hpp"

namespace mm {

/// --ref
void add_ref_option(CLI::App& app, LabPaths& paths);
/// --pretrain, --sft and --val: single files instead of REF's
void add_lab_file_options(CLI::App& app, LabPaths& paths);

}  // namespace mm
