// Standard output: buffered, every error noticed. Results go here and nothing else does.
#pragma once

#include <string>
#include <string_view>

namespace mm {

/// Thrown when nobody reads standard output any more (`| head`): not an error, the program ends quietly.
struct OutputClosed {};

class Output {
  public:
    /// @param fd written to; not closed
    explicit Output(int fd);

    /// Appends text. @throws Error{io} when it cannot be written (a full disk); OutputClosed
    void write(std::string_view text);
    /// text and a line end
    void line(std::string_view text);
    /// Hands everything to the system. Must be called before the program ends: errors would be lost.
    void flush();

  private:
    int fd_;
    std::string buffer_;
};

}  // namespace mm
