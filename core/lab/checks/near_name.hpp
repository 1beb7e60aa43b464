// The file that was meant: Report.md for report.md, "time (1).json", same.json.txt, infer\count.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mm::checks {

/// The first of `names` that only spells `wanted` ("same.json") otherwise, null when there is none: letter
/// case and width, spaces, numbers of copies, doubled or other endings, a folder written into the name.
const std::string* near_name(const std::vector<std::string>& names, std::string_view wanted);

}  // namespace mm::checks
