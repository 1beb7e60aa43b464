// The folder itself, before any file in it.
#include "core/base/error.hpp"
#include "core/lab/checks/judge.hpp"

namespace mm::checks {

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
    if (judge.submission().folder == FileState::present && !judge.submission().interrupted) {
        judge.pass("folder");
    } else {
        judge.fail("folder", {hint()});
    }
}

}  // namespace mm::checks
