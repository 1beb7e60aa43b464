#include "native/files/submission_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "native/files/file.hpp"
#include "native/files/result_folder.hpp"

namespace mm {
namespace {

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

FileState state_of(int error) {
    switch (error) {
        case ENOENT:
            return FileState::missing;
        case ELOOP:
            return FileState::link;
        case ENOTDIR:
        case ENXIO:  // a socket, or a FIFO nobody reads
        case ENODEV:
            return FileState::special;
        default:
            return FileState::unreadable;
    }
}

// "work/" names what the link "work" points to; "work" names the link.
std::string without_trailing_slashes(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

bool is_link(int folder, const std::string& name) {
    struct stat info {};
    return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

bool is_file(int folder, const std::string& name) {
    struct stat info {};
    return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

// At most one byte more than the limit, whatever the file claims or becomes.
FileState read_limited(int fd, std::size_t claimed, std::string& text) {
    text.resize(std::min(claimed, kSubmittedFileLimit) + 1);
    std::size_t size = 0;
    while (true) {
        const ssize_t count = ::read(fd, text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return FileState::unreadable;
        size += static_cast<std::size_t>(count);
        if (size > kSubmittedFileLimit) return FileState::too_large;
        if (count == 0) break;
        if (size == text.size()) text.resize(std::min(2 * size, kSubmittedFileLimit + 1));
    }
    text.resize(size);
    return FileState::present;
}

SubmittedFile read_file_at(int folder, const std::string& name) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    const Descriptor fd(
        ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd.valid()) return {state_of(errno)};
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return {FileState::unreadable};
    if (!S_ISREG(info.st_mode)) return {FileState::special};
    if (info.st_size > static_cast<off_t>(kSubmittedFileLimit)) return {FileState::too_large};
    SubmittedFile file;
    file.state = read_limited(fd.get(), static_cast<std::size_t>(info.st_size), file.text);
    if (file.state != FileState::present) file.text.clear();
    return file;
}

bool interrupted(int folder) {
    const Descriptor stage(::openat(folder, std::string(ResultFolder::kStage).c_str(), kOpenFolder));
    if (!stage.valid()) return false;
    struct stat info {};
    return ::fstatat(stage.get(), std::string(ResultFolder::kJournal).c_str(), &info, AT_SYMLINK_NOFOLLOW) ==
           0;
}

bool has_any(int folder, std::span<const std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [folder](std::string_view name) {
        struct stat info {};
        return ::fstatat(folder, std::string(name).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    });
}

// Names in the folder in order, "." and ".." apart; a hostile folder may have millions.
std::vector<std::string> names_in(int folder) {
    constexpr int kMost = 1000;
    std::vector<std::string> names;
    const int fd = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = fd < 0 ? nullptr : ::fdopendir(fd);
    if (entries == nullptr) {
        if (fd >= 0) ::close(fd);
        return names;
    }
    for (int count = 0; count < kMost; ++count) {
        const dirent* const entry = ::readdir(entries);
        if (entry == nullptr) break;
        names.emplace_back(entry->d_name);
    }
    ::closedir(entries);
    std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
    std::sort(names.begin(), names.end());
    return names;
}

// Folders inside that hold any of the names; not what macOS puts into archives, and no links.
std::vector<std::string> folders_with(int folder, std::span<const std::string_view> names) {
    std::vector<std::string> found;
    for (std::string& entry : names_in(folder)) {
        if (entry.starts_with('.') || entry == "__MACOSX") continue;
        const Descriptor inside(::openat(folder, entry.c_str(), kOpenFolder));
        if (inside.valid() && has_any(inside.get(), names)) found.push_back(std::move(entry));
    }
    return found;
}

void read_files(int folder, std::span<const std::string_view> names, Submission& submission) {
    submission.interrupted = interrupted(folder);
    for (const std::string_view name : names) {
        SubmittedFile file = read_file_at(folder, std::string(name));
        if (file.state != FileState::missing) submission.files.emplace(name, std::move(file));
    }
    if (submission.files.size() == names.size()) return;
    for (std::string& name : names_in(folder)) {
        if (!submission.files.contains(name) && is_file(folder, name))
            submission.others.push_back(std::move(name));
    }
}

}  // namespace

Submission read_submission(const std::string& path, std::span<const std::string_view> names) {
    Submission submission;
    submission.name = path;
    const std::string folder_path = without_trailing_slashes(path);
    const Descriptor folder(::open(folder_path.c_str(), kOpenFolder));
    if (!folder.valid()) {
        const int error = errno;
        // O_DIRECTORY with O_NOFOLLOW says "not a folder" of a link.
        submission.folder = is_link(AT_FDCWD, folder_path) ? FileState::link : state_of(error);
        return submission;
    }
    read_files(folder.get(), names, submission);
    if (!submission.files.empty() || submission.interrupted) return submission;
    // Unpacked archives often hold one folder with everything in it.
    std::vector<std::string> inside = folders_with(folder.get(), names);
    if (inside.size() > 1) {
        submission.several = std::move(inside);
    } else if (inside.size() == 1) {
        const Descriptor below(::openat(folder.get(), inside.front().c_str(), kOpenFolder));
        if (!below.valid()) return submission;
        submission.below = std::move(inside.front());
        submission.others.clear();
        read_files(below.get(), names, submission);
    }
    return submission;
}

}  // namespace mm
