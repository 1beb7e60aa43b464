// Stopping on request. SIGINT, SIGTERM and SIGHUP set a flag that work asks between tokens, and so ends in
// order. Work that has not ended a moment later (one long prefill, one huge file) is ended here:
// what it had begun to write is removed, and the program exits. A second SIGINT does that at once.
#pragma once

#include <string>

#include "core/base/steps.hpp"

namespace mm {

/// Installs the handlers; also ignores SIGPIPE and SIGXFSZ, so that a closed pipe or a file-size limit is an
/// error of the write it happens to.
void install_signal_handlers();

/// The signal that asked to stop, 0 when none did.
int stop_signal();

inline bool stop_requested() {
    return stop_signal() != 0;
}

/// @throws Error{cancelled} when a signal asked to stop
void throw_if_stopped();

/// All steps, and a look between two of them whether a signal asked to stop. @throws Error{cancelled}
template <typename T>
T run_until_stopped(Steps<T> steps) {
    while (steps.advance()) throw_if_stopped();
    return steps.result();
}

/// A file, or a folder once it is empty, that goes away if a signal ends the program while this object lives.
class Unfinished {
  public:
    enum class Kind { file, empty_folder };

    Unfinished(const std::string& path, Kind kind);
    ~Unfinished();
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

  private:
    int slot_ = -1;  // none free: then it stays where it is
};

}  // namespace mm
