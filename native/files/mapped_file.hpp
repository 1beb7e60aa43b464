// A regular file's bytes in memory, read-only, without copying them.
#pragma once

#include <string>

#include "core/base/bytes.hpp"

namespace mm {

/// Maps a file for as long as the object lives. Another program that cuts the file meanwhile would have the
/// kernel kill us with SIGBUS; that ends the program with one line that names the file and exit status 3.
class MappedFile {
  public:
    /// @throws Error{io} naming the file: unreadable, or not a regular file
    explicit MappedFile(const std::string& file);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    Bytes bytes() const { return {data_, size_}; }

  private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    int guard_ = -1;
};

}  // namespace mm
