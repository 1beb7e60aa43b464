#include "native/files/line_reader.hpp"

#include <unistd.h>

#include <cerrno>

#include "native/terminal/signals.hpp"

namespace mm {

LineReader::LineReader(const std::string& file) : name_(stream_name(file)), fd_(open_stream(file)) {}

bool LineReader::next(std::string& line) {
    constexpr std::size_t kBlock = std::size_t{64} << 10;
    constexpr std::size_t kLongest = std::size_t{32} << 20;  // JSON in memory takes some times its text
    std::size_t searched = begin_;
    while (true) {
        const std::size_t end = buffer_.find('\n', searched);
        if (end != std::string::npos || (ended_ && begin_ < buffer_.size())) {
            line = buffer_.substr(begin_, end == std::string::npos ? end : end - begin_);
            begin_ = end == std::string::npos ? buffer_.size() : end + 1;
            ++number_;
            return true;
        }
        if (ended_) return false;
        searched = buffer_.size() - begin_;
        buffer_.erase(0, begin_);
        begin_ = 0;
        if (buffer_.size() > kLongest) {
            throw_error(ErrorKind::io, "is over the limit of " + std::to_string(kLongest) + " bytes",
                        {.file = name_, .field = "line " + std::to_string(number_ + 1)});
        }
        const std::size_t filled = buffer_.size();
        buffer_.resize(filled + kBlock);
        const ssize_t got = ::read(fd_.get(), buffer_.data() + filled, kBlock);
        const int code = errno;
        buffer_.resize(filled + static_cast<std::size_t>(got > 0 ? got : 0));
        if (got < 0 && code != EINTR) throw io_error(name_, "cannot be read", code);
        throw_if_stopped();  // also at the end of the input: a signal may have come with it
        if (got == 0) ended_ = true;
    }
}

}  // namespace mm
