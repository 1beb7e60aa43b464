// `mm-native serve` as two programs: mm-native reads the options and becomes mm-native-serve, which alone is
// linked with the HTTP library. So the lab and the grader run where that library is not installed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mm {

class Console;

struct ServeOptions {
    std::int64_t port = 8765;        // 0 … 65535; 0: any that is free
    std::optional<std::string> dir;  // absent: where the build puts the page
    bool open = false;               // show it in the browser
};

/// Where the build puts the page, as seen from the program: build/native/… → build/web/site.
std::string built_page_folder();

/// Becomes the program `name` beside this one, with the same arguments. Returns never.
/// @throws Error{io} naming it when it is not there
[[noreturn]] void become_sibling(const std::string& name, const char* const* argv);

/// Serves until a signal ends it. @return never but by throwing
/// @throws Error{io}; Error{cancelled} on a signal
int serve(const ServeOptions& options, Console& console);

}  // namespace mm
