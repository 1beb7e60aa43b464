// `mm-native serve`: the page on this machine, until a signal ends it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mm {

class Console;

struct ServeOptions {
    std::int64_t port = 8765;        // 0 … 65535; 0: any that is free
    std::optional<std::string> dir;  // absent: where the build, the installation or the archive has the page
    bool open = false;               // show it in the browser
};

/// Serves until a signal ends it. @return never but by throwing
/// @throws Error{io}; Error{cancelled} on a signal
int serve(const ServeOptions& options, Console& console);

}  // namespace mm
