// What the server thinks of a request before it touches a file: served, measured or refused.
//
// Pure, so that it can be tested on anything: the head of a request in, a verdict out. The folder itself, its
// symbolic links and what is really there are site_folder.hpp's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mm {

/// The parts of a request's head that count. A header that came several times has several values.
struct RequestHead {
    std::string_view method;  // as sent: "GET"
    std::string_view target;  // as sent, not decoded: "/a%20b?c"
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    std::vector<std::string> fetch_sites;  // Sec-Fetch-Site
};

struct RequestVerdict {
    enum class Action {
        file,     // `path` of the folder
        measure,  // the native twin's timings
        refuse,   // with `status` and `reason`
    };
    Action action = Action::refuse;
    int status = 400;
    std::string path;    // decoded, relative, without "." and "..", "a/b.html"
    std::string reason;  // one sentence for whoever asked
    std::string allow;   // for status 405: the Allow header
};

/// Where the timings are asked for, with POST: measuring is work, which a mere link must not start.
constexpr std::string_view kTimingPath = "/native/timing";

/// Only a page that this server itself served may measure, and only a browser that was sent to this very
/// machine is answered at all: a foreign name that leads here (DNS rebinding) is refused by its Host.
/// @param port  the server listens on
RequestVerdict judge_request(const RequestHead& head, std::uint16_t port);

}  // namespace mm
