// The three headings of report.md: which are missing, and what stands there instead.
#pragma once

#include <string_view>
#include <vector>

#include "core/lab/checks/finding.hpp"

namespace mm::checks {

struct HeadingsFound {
    std::vector<Finding> missing;  // empty: all are there
    bool decomposed = false;       // one is there in NFD only
};

/// @param text well-formed UTF-8
HeadingsFound find_report_headings(std::string_view text);

}  // namespace mm::checks
