// A result file that is there whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "native/files/file.hpp"
#include "native/terminal/signals.hpp"

namespace mm {

/// Writes beside FILE under a name of its own and renames at the end; what FILE held before stays until then,
/// and for good when the object goes away without commit(). A device or a pipe is written straight.
class OutputFile {
  public:
    /// @param option  that named the file, e.g. "--out"
    /// @throws Error{io} naming the file; Error{range} when this run has read it
    OutputFile(const std::string& file, const std::string& option);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    void commit();

  private:
    std::string file_;    // as the user named it
    std::string target_;  // links followed
    std::string part_;    // empty when written straight
    Descriptor fd_;
    std::optional<Unfinished> unfinished_;
};

}  // namespace mm
