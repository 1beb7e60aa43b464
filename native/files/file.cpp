#include "native/files/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "native/files/inputs.hpp"
#include "native/terminal/signals.hpp"

namespace mm {
namespace {

// What a path is, for a line that refuses it.
const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "is a folder";
    if (S_ISFIFO(mode)) return "is a pipe";
    if (S_ISSOCK(mode)) return "is a socket";
    return "is a device";
}

// The last byte past the limit is asked for too: a file that grows while it is read is noticed.
std::string read_whole(int fd, std::size_t expected, std::size_t max_bytes, const std::string& file) {
    constexpr std::size_t kChunk = std::size_t{64} << 10;
    std::string text;
    std::size_t filled = 0;
    while (true) {
        const std::size_t room = std::max(expected + 1 > filled ? expected + 1 - filled : 0, kChunk);
        text.resize(filled + std::min(room, max_bytes + 1 - filled));
        const std::size_t got = read_some(fd, text.data() + filled, text.size() - filled, file);
        filled += got;
        if (filled > max_bytes) {
            throw_error(ErrorKind::io, "is over the limit of " + std::to_string(max_bytes) + " bytes",
                        {.file = file});
        }
        if (filled < text.size()) break;
    }
    text.resize(filled);
    return text;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        reset();
        fd_ = other.release();
    }
    return *this;
}

int Descriptor::release() {
    return std::exchange(fd_, -1);
}

void Descriptor::reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

Error io_error(const std::string& file, std::string_view what, int code) {
    return Error(ErrorKind::io, std::string(what) + ": " + std::generic_category().message(code),
                 {.file = file});
}

Descriptor open_regular(const std::string& file, std::size_t* size) {
    // O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
    Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.valid()) throw io_error(file, "cannot be opened", errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) throw io_error(file, "cannot be looked at", errno);
    if (!S_ISREG(status.st_mode)) {
        throw_error(ErrorKind::io, std::string(kind_of(status.st_mode)) + "; a regular file is needed",
                    {.file = file});
    }
    if (size != nullptr) *size = static_cast<std::size_t>(status.st_size);
    remember_input(fd.get(), file);
    return fd;
}

Descriptor open_stream(const std::string& file) {
    Descriptor fd(file == "-" ? ::dup(STDIN_FILENO) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd.valid()) throw io_error(stream_name(file), "cannot be opened", errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) throw io_error(stream_name(file), "cannot be looked at", errno);
    if (S_ISDIR(status.st_mode)) {
        throw_error(ErrorKind::io, "is a folder; a file is needed", {.file = stream_name(file)});
    }
    remember_input(fd.get(), stream_name(file));
    return fd;
}

std::size_t read_some(int fd, char* data, std::size_t size, const std::string& file) {
    std::size_t filled = 0;
    while (filled < size) {
        const ssize_t got = ::read(fd, data + filled, size - filled);
        if (got == 0) break;
        if (got < 0) {
            const int code = errno;
            if (code == EINTR) {
                throw_if_stopped();
                continue;
            }
            throw io_error(file, "cannot be read", code);
        }
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

void write_all(int fd, std::string_view text, const std::string& file) {
    while (!text.empty()) {
        const ssize_t put = ::write(fd, text.data(), text.size());
        if (put < 0) {
            if (errno == EINTR) continue;
            throw io_error(file, "cannot be written", errno);
        }
        text.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::string read_file(const std::string& file, std::size_t max_bytes) {
    std::size_t size = 0;
    const Descriptor fd = open_regular(file, &size);
    return read_whole(fd.get(), std::min(size, max_bytes), max_bytes, file);
}

std::string read_stream(const std::string& file, std::size_t max_bytes) {
    const Descriptor fd = open_stream(file);
    return read_whole(fd.get(), 0, max_bytes, stream_name(file));
}

bool is_regular_file(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_folder(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string stream_name(const std::string& file) {
    return file == "-" ? "standard input" : file;
}

}  // namespace mm
