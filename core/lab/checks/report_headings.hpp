// The three headings of report.md: which are there, and what stands there instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mm::checks {

struct HeadingTrace {
    enum class Found {
        as_text,
        decomposed,  // in NFD only
        look_alike,  // with characters that cannot be seen or only look right
        in_code,     // or in an HTML comment
        nowhere
    };

    std::string_view heading;
    Found found = Found::nowhere;
    std::string characters = {};  // of a look-alike: "U+00A0, U+200B"
};

/// One for each heading that the lab asks for. @param text well-formed UTF-8
std::vector<HeadingTrace> trace_report_headings(std::string_view text);

}  // namespace mm::checks
