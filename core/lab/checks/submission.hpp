// What a student handed in, as bytes: the grader's input.
//
// The native twin fills it from a folder (native/files/submission_folder.hpp), the page from its own results.
// Nothing here has been looked at yet; every byte may be hostile.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mm {

/// Why a file or a folder could not be taken. `present` means its text is here.
enum class FileState {
    present,
    missing,
    link,        // a symbolic link: never followed
    special,     // a folder, FIFO, device or socket where a file is expected (or no folder for a folder)
    too_large,   // over kSubmittedFileLimit
    unreadable,  // no permission, or the disk failed
};

/// Bytes of one file; more is refused without being read. The lab's own files take a few KB.
constexpr std::size_t kSubmittedFileLimit = std::size_t{1} << 20;

struct SubmittedFile {
    FileState state = FileState::missing;
    std::string text = {};  // when present
};

struct Submission {
    std::string name;                       // how results call it: the folder as it was given
    FileState folder = FileState::present;  // of the folder itself; when not present there are no files
    bool interrupted = false;               // a lab run was stopped amid its final renames
    std::string below;                      // the folder inside that was taken instead; empty: none
    std::vector<std::string> several;  // folders inside that hold the lab's files, when it is unclear which
    std::vector<std::string> others;   // other files in the folder, by name
    std::map<std::string, SubmittedFile, std::less<>> files;  // by name; absent means missing

    const SubmittedFile& file(std::string_view name) const;
};

}  // namespace mm
