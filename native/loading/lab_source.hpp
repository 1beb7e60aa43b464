// Which checkpoints and documents a lab run works on, and where its results go.
#pragma once

#include <optional>
#include <string>

#include "core/lab/lab_table.hpp"

namespace mm {

/// What the user said; everything may be absent.
struct LabPaths {
    std::optional<std::string> ref = {};
    std::optional<std::string> out = {};
    std::optional<std::string> pretrain = {};
    std::optional<std::string> sft = {};
    std::optional<std::string> val = {};
};

/// What the chosen steps work with.
struct LabSource {
    std::string kind;      // "official", "ref" or "demo"
    std::string ref;       // REF, where tokenizers are looked for too
    std::string pretrain;  // a file or an embedded checkpoint
    std::string sft;
    std::string documents;  // a file; empty: those embedded with the demo
    std::string out;        // folder for results
    std::string note;       // why this one, when that may surprise; may be empty
};

/// REF is what was given, else /opt/mm when both its checkpoints are there, else the demo. Single files that
/// were given win over REF's. Nothing is opened.
/// @throws Error{range} naming the option: the demo and checkpoints of one's own would be mixed
LabSource choose_lab_source(const LabPaths& paths, const LabNeeds& needs);

}  // namespace mm
