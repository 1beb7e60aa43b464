// The folder itself, before any file in it.
#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"

namespace mm::checks {
namespace {

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kNamed = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
        list += join({i > 0 ? ", " : "", safe_text(names[i])});
    }
    return names.size() > kNamed ? join({list, ", …"}) : list;
}

}  // namespace

void check_folder(Judge& judge) {
    const auto hint = [&] {
        switch (judge.submission().folder) {
            case FileState::missing:
                return kCommonHints["folder.missing"];
            case FileState::link:
                return kCommonHints["folder.link"];
            case FileState::special:
            case FileState::too_large:
                return kCommonHints["folder.not_a_folder"];
            case FileState::unreadable:
                return kCommonHints["folder.unreadable"];
            case FileState::present:
                return kCommonHints["folder.interrupted"];
        }
        throw_error(ErrorKind::internal, "unknown state of a folder");
    };
    const Submission& submission = judge.submission();
    if (submission.folder != FileState::present || submission.interrupted) {
        judge.fail("folder", {hint()});
    } else if (!submission.several.empty()) {
        judge.fail("folder", {kCommonHints["folder.several"], {{"folders", listed(submission.several)}}});
    } else if (!submission.below.empty()) {
        judge.pass("folder", {kCommonHints["folder.below"], {{"folder", safe_text(submission.below)}}});
    } else {
        judge.pass("folder");
    }
}

}  // namespace mm::checks
