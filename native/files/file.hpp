// Opening and reading files by name, with errors that name them. The only place of the project, with its
// neighbours in this folder, that touches a file system.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace mm {

/// A file descriptor that closes itself.
class Descriptor {
  public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;

    int get() const { return fd_; }
    bool valid() const { return fd_ >= 0; }
    int release();
    void reset();

  private:
    int fd_;
};

/// Error{io} "FILE: WHAT: reason of errno", e.g. "m.pth: cannot be opened: No such file or directory".
/// @param code an errno value
Error io_error(const std::string& file, std::string_view what, int code);

/// Opens a regular file for reading. Anything else (a folder, a FIFO, a device, a socket) is refused by name,
/// without blocking on it.
/// @param size set to the file's length in bytes; may be null.
/// @throws Error{io} naming the file
Descriptor open_regular(const std::string& file, std::size_t* size = nullptr);

/// Opens what a text may come from: a regular file, a pipe, a terminal, or standard input for "-".
/// @throws Error{io} naming the file; a folder is refused.
Descriptor open_stream(const std::string& file);

/// read(2) until `size` bytes are there or the end; a short count means the end.
/// @throws Error{io} naming `file`; Error{cancelled} when a signal asked to stop
std::size_t read_some(int fd, char* data, std::size_t size, const std::string& file);

/// write(2) until everything is out. @throws Error{io} naming `file`
void write_all(int fd, std::string_view text, const std::string& file);

/// The whole of a regular file.
/// @throws Error{io} naming the file: unreadable, or longer than `max_bytes`
std::string read_file(const std::string& file, std::size_t max_bytes);

/// The whole of a stream (see open_stream), at most `max_bytes`. @throws Error{io}
std::string read_stream(const std::string& file, std::size_t max_bytes);

/// True when `path` can be followed to a regular file; false for anything else, unreadable folders included.
bool is_regular_file(const std::string& path);
bool is_folder(const std::string& path);

/// What errors call standard input.
std::string stream_name(const std::string& file);

}  // namespace mm
