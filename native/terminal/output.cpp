#include "native/terminal/output.hpp"

#include <unistd.h>

#include <cerrno>

#include "native/files/file.hpp"
#include "native/terminal/signals.hpp"

namespace mm {

Output::Output(int fd) : fd_(fd) {}

void Output::write(std::string_view text) {
    constexpr std::size_t kFull = std::size_t{64} << 10;
    buffer_ += text;
    if (buffer_.size() >= kFull) flush();
}

void Output::line(std::string_view text) {
    write(text);
    write("\n");
}

void Output::flush() {
    std::string text;
    text.swap(buffer_);  // what failed once is not tried again
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t put = ::write(fd_, rest.data(), rest.size());
        if (put >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(put));
        } else if (errno == EPIPE || errno == EBADF) {
            throw OutputClosed{};
        } else if (errno == EINTR) {
            throw_if_stopped();
        } else {
            throw io_error("standard output", "cannot be written", errno);
        }
    }
}

}  // namespace mm
