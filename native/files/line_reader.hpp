// A stream line by line, each as soon as it is there.
#pragma once

#include <cstddef>
#include <string>

#include "native/files/file.hpp"

namespace mm {

class LineReader {
  public:
    /// @param file a file, a pipe, or "-" for standard input @throws Error{io}
    explicit LineReader(const std::string& file);

    /// The next line without its end; the last one need not have an end.
    /// @return false at the end of the stream
    /// @throws Error{io} naming the file: unreadable, or a line over 256 MB; Error{cancelled}
    bool next(std::string& line);

    /// Number of the line that next() gave, from 1.
    std::size_t number() const { return number_; }
    const std::string& name() const { return name_; }

  private:
    std::string name_;
    Descriptor fd_;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::size_t number_ = 0;
    bool ended_ = false;
};

}  // namespace mm
