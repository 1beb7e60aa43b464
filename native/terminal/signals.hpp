// Stopping on request: SIGINT, SIGTERM and SIGHUP set a flag that work asks between tokens. A second SIGINT
// ends the program at once.
#pragma once

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

}  // namespace mm
