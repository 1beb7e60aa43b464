#include "native/files/result_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/base/json.hpp"

namespace mm {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

const std::string& stage_name() {
    static const std::string name(ResultFolder::kStage);
    return name;
}
const std::string& journal_name() {
    static const std::string name(ResultFolder::kJournal);
    return name;
}

// A journal may have been put there by anybody: only plain visible names are followed.
bool is_plain_name(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.size() < 256 && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos && name != ResultFolder::kJournal;
}

}  // namespace

ResultFolder::ResultFolder(const std::string& path, Watcher watcher)
    : path_(path), watcher_(std::move(watcher)) {
    try {
        open_folder();
        lock();
        recover();
        make_stage();
    } catch (...) {
        // No destructor runs for an object that was not finished.
        for (auto it = made_.rbegin(); it != made_.rend(); ++it) ::rmdir(it->c_str());
        throw;
    }
}

ResultFolder::~ResultFolder() {
    if (journaled_ || !stage_.valid()) return;
    try {
        watcher_ = {};
        clear_stage();
    } catch (const Error&) {
        // The next run clears it.
    }
    for (auto it = made_.rbegin(); it != made_.rend(); ++it) ::rmdir(it->c_str());
}

void ResultFolder::open_folder() {
    if (path_.empty()) throw_error(ErrorKind::io, "the name of the folder for results is empty");
    folder_ = Descriptor(::open(path_.c_str(), kFolderFlags));
    if (!folder_.valid() && errno == ENOENT) {
        std::vector<std::string> missing;
        std::filesystem::path at = std::filesystem::path(path_).lexically_normal();
        if (!at.has_filename()) at = at.parent_path();  // "a/b/" is "a/b"
        while (!at.empty() && ::access(at.c_str(), F_OK) != 0 && errno == ENOENT) {
            missing.push_back(at.string());
            at = at.parent_path();
        }
        for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
            step("make folder " + *it);
            if (::mkdir(it->c_str(), 0777) == 0) {
                made_.push_back(*it);
                unfinished_.emplace_back(*it, Unfinished::Kind::empty_folder);
            } else if (errno != EEXIST) {
                throw io_error(*it, "cannot be made", errno);
            }
        }
        folder_ = Descriptor(::open(path_.c_str(), kFolderFlags));
    }
    if (!folder_.valid()) {
        const int code = errno;
        if (code == ENOTDIR && ::access(path_.c_str(), F_OK) == 0) {
            throw_error(ErrorKind::io, "is not a folder; results need one", {.file = path_});
        }
        throw io_error(path_, "cannot be opened as a folder for results", code);
    }
}

void ResultFolder::lock() {
    if (::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0) return;
    if (errno == EWOULDBLOCK) {
        throw_error(ErrorKind::io, "another run is writing into this folder", {.file = path_},
                    "wait for it to end, or choose another folder with --out");
    }
    // Some network file systems lock no folders. One run at a time works there all the same.
}

void ResultFolder::recover() {
    stage_ = Descriptor(::openat(folder_.get(), stage_name().c_str(), kFolderFlags | O_NOFOLLOW));
    if (!stage_.valid()) {
        if (errno == ENOENT) return;
        throw io_error(inside(kStage), "is in the way of the stage folder", errno);
    }
    if (::faccessat(stage_.get(), journal_name().c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        journaled_ = true;
        completed_ = read_journal();
        put_in_place(completed_);
    }
    clear_stage();
    stage_.reset();
    journaled_ = false;
}

void ResultFolder::make_stage() {
    step("make stage");
    if (::mkdirat(folder_.get(), stage_name().c_str(), 0777) != 0) {
        throw io_error(path_, "cannot be written", errno);
    }
    stage_ = Descriptor(::openat(folder_.get(), stage_name().c_str(), kFolderFlags | O_NOFOLLOW));
    if (!stage_.valid()) {
        const int code = errno;
        ::unlinkat(folder_.get(), stage_name().c_str(), AT_REMOVEDIR);
        throw io_error(inside(kStage), "cannot be opened", code);
    }
    unfinished_.emplace_back(inside(kStage), Unfinished::Kind::empty_folder);
}

void ResultFolder::write(const std::string& name, std::string_view content) {
    if (!is_plain_name(name)) {
        throw_error(ErrorKind::internal, "not a plain file name", {.field = name});
    }
    struct stat status {};
    if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(status.st_mode)) {
        throw_error(ErrorKind::io, "is a folder; a file of this name is to be written",
                    {.file = inside(name)});
    }
    write_staged(name, content);
    names_.push_back(name);
}

void ResultFolder::commit() {
    flush(stage_, staged("."));
    step("flush folder");
    flush(folder_, path_);  // the stage itself must be found again
    Json journal;
    journal["version"] = 1;
    journal["files"] = names_;
    write_staged("journal.new", journal.dump() + "\n");
    step("journal");
    if (::renameat(stage_.get(), "journal.new", stage_.get(), journal_name().c_str()) != 0) {
        throw io_error(staged(kJournal), "cannot be put in place", errno);
    }
    journaled_ = true;
    flush(stage_, staged("."));
    put_in_place(names_);
    clear_stage();
}

void ResultFolder::put_in_place(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        step("rename " + name);
        // ENOENT: already renamed by the run that was interrupted.
        if (::renameat(stage_.get(), name.c_str(), folder_.get(), name.c_str()) != 0 && errno != ENOENT) {
            throw io_error(inside(name), "cannot be put in place", errno);
        }
    }
    step("flush folder");
    flush(folder_, path_);
}

void ResultFolder::clear_stage() {
    // The journal goes first: without it what is left is litter, with it a promise.
    step("remove journal");
    if (::unlinkat(stage_.get(), journal_name().c_str(), 0) != 0 && errno != ENOENT) {
        throw io_error(staged(kJournal), "cannot be removed", errno);
    }
    const int copy = ::openat(stage_.get(), ".", kFolderFlags);
    if (copy < 0) throw io_error(staged("."), "cannot be listed", errno);
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(copy), &::closedir);
    if (!listing) {
        ::close(copy);
        throw io_error(staged("."), "cannot be listed", errno);
    }
    while (const dirent* entry = ::readdir(listing.get())) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        step("remove staged " + name);
        if (::unlinkat(stage_.get(), name.c_str(), 0) != 0) {
            throw io_error(staged(name), "cannot be removed", errno);
        }
    }
    step("remove stage");
    if (::unlinkat(folder_.get(), stage_name().c_str(), AT_REMOVEDIR) != 0) {
        throw io_error(inside(kStage), "cannot be removed", errno);
    }
}

std::vector<std::string> ResultFolder::read_journal() const {
    constexpr std::size_t kLongest = 4096;
    const Descriptor fd(
        ::openat(stage_.get(), journal_name().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid()) throw io_error(staged(kJournal), "cannot be opened", errno);
    std::string text(kLongest, '\0');
    text.resize(read_some(fd.get(), text.data(), text.size(), staged(kJournal)));
    const std::string hint = "remove " + inside(kStage) + " to give up the results that were left there";
    std::vector<std::string> names;
    try {
        const Json journal = parse_json(text, staged(kJournal), {.max_depth = 4});
        names = journal.at("files").get<std::vector<std::string>>();
    } catch (const std::exception&) {  // Error or nlohmann's: either way it is not ours
        throw_error(ErrorKind::format, "is not a journal of an earlier run", {.file = staged(kJournal)},
                    hint);
    }
    if (!std::all_of(names.begin(), names.end(), is_plain_name)) {
        throw_error(ErrorKind::format, "names a file outside the folder", {.file = staged(kJournal)}, hint);
    }
    return names;
}

void ResultFolder::write_staged(const std::string& name, std::string_view content) {
    step("write " + name);
    const Descriptor fd(
        ::openat(stage_.get(), name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!fd.valid()) throw io_error(staged(name), "cannot be made", errno);
    write_all(fd.get(), content, staged(name));
    step("flush " + name);
    if (::fsync(fd.get()) != 0) throw io_error(staged(name), "cannot be flushed to the disk", errno);
}

void ResultFolder::flush(const Descriptor& folder, const std::string& name) const {
    // Some file systems cannot flush a folder and say so with EINVAL; they promise nothing to keep.
    if (::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
        throw io_error(name, "cannot be flushed to the disk", errno);
    }
}

void ResultFolder::step(std::string_view what) const {
    if (watcher_) watcher_(what);
}

std::string ResultFolder::inside(std::string_view name) const {
    return (std::filesystem::path(path_) / name).string();
}

std::string ResultFolder::staged(std::string_view name) const {
    return name == "." ? inside(kStage) : (std::filesystem::path(path_) / kStage / name).string();
}

}  // namespace mm
