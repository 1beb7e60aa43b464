// The folder itself, before any file in it.
#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
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
                return Hint::folder_missing;
            case FileState::link:
                return Hint::folder_link;
            case FileState::special:
            case FileState::too_large:
                return Hint::folder_special;
            case FileState::unreadable:
                return Hint::folder_unreadable;
            case FileState::present:
                return Hint::folder_interrupted;
        }
        throw_error(ErrorKind::internal, "unknown state of a folder");
    };
    const Submission& submission = judge.submission();
    if (submission.folder != FileState::present || submission.interrupted) {
        judge.fail("folder", {hint()});
    } else if (!submission.several.empty()) {
        judge.fail("folder", {Hint::folder_several, {{"folders", listed(submission.several)}}});
    } else if (!submission.below.empty()) {
        judge.pass("folder", {Hint::folder_below, {{"folder", safe_text(submission.below)}}});
    } else {
        judge.pass("folder");
    }
}

}  // namespace mm::checks
