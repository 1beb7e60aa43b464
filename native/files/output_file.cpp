#include "native/files/output_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "native/files/inputs.hpp"

namespace mm {

OutputFile::OutputFile(const std::string& file, const std::string& option) : file_(file), target_(file) {
    refuse_to_replace_input(file, option);
    struct stat status {};
    const bool exists = ::stat(file.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        throw_error(ErrorKind::io, "is a folder; a file is to be written", {.file = file});
    }
    if (exists && !S_ISREG(status.st_mode)) {
        fd_ = Descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (!fd_.valid()) throw io_error(file, "cannot be opened for writing", errno);
        return;
    }
    if (exists) {
        std::error_code failed;
        const std::filesystem::path real = std::filesystem::canonical(file, failed);
        if (!failed) target_ = real.string();
    }
    part_ = target_ + ".XXXXXX";
    fd_ = Descriptor(::mkostemp(part_.data(), O_CLOEXEC));
    if (!fd_.valid()) {
        const int code = errno;
        part_.clear();
        throw io_error(file, "cannot be written", code);
    }
    unfinished_.emplace(part_, Unfinished::Kind::file);
    // mkostemp makes files private; a result has the permissions any new file, or the earlier one, would
    // have.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd_.get(), exists ? status.st_mode & 07777 : 0666 & ~mask);
}

OutputFile::~OutputFile() {
    if (!part_.empty()) ::unlink(part_.c_str());
}

void OutputFile::write(std::string_view bytes) {
    write_all(fd_.get(), bytes, file_);
}

void OutputFile::commit() {
    if (part_.empty()) return;
    if (::rename(part_.c_str(), target_.c_str()) != 0) throw io_error(file_, "cannot be put in place", errno);
    part_.clear();
}

}  // namespace mm
