// What `serve` thinks of a request. The input's lines are method, target, then headers: "h…" a Host, "o…" an
// Origin, "s…" a Sec-Fetch-Site.
#include <algorithm>

#include "core/base/utf8.hpp"
#include "native/serve/request.hpp"
#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {
namespace {

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

void require_inside(const std::string& path) {
    require(!path.empty() && path.front() != '/' && path.back() != '/', "not a file's path: " + path);
    require(path.find('\0') == path.npos && path.find('\\') == path.npos, "a path that is two: " + path);
    require(find_invalid_utf8(path) == path.npos, "a path that is not UTF-8");
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        require(end > 0 && rest[0] != '.', "leaves the folder or shows what is hidden: " + path);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

}  // namespace

void serve_request(std::string_view input) {
    constexpr std::uint16_t kPort = 8765;
    RequestHead head;
    head.method = take_line(input);
    head.target = take_line(input);
    while (!input.empty()) {
        const std::string_view line = take_line(input);
        if (line.empty()) continue;
        auto& values = line[0] == 'h' ? head.hosts : line[0] == 'o' ? head.origins : head.fetch_sites;
        values.emplace_back(line.substr(1));
    }
    const auto judged = [&](const RequestHead& request) {
        const RequestVerdict verdict = judge_request(request, kPort);
        using Action = RequestVerdict::Action;
        if (verdict.action == Action::refuse) {
            require(verdict.status >= 400 && verdict.status < 500 && !verdict.reason.empty(), "no reason");
            return;
        }
        require(request.hosts.size() == 1, "answered without knowing for whom");
        if (verdict.action == Action::file) require_inside(verdict.path);
        if (verdict.action == Action::measure) require(request.method == "POST", "measured for a link");
    };
    judged(head);
    head.hosts = {"127.0.0.1:8765"};  // past the first gate
    judged(head);
}

}  // namespace mm::fuzz
