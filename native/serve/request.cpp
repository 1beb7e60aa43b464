#include "native/serve/request.hpp"

#include <algorithm>
#include <array>

#include "core/base/utf8.hpp"

namespace mm {
namespace {

RequestVerdict refuse(int status, std::string reason, std::string allow = "") {
    return {RequestVerdict::Action::refuse, status, "", std::move(reason), std::move(allow)};
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

// 127.0.0.1 is the only address listened on; "localhost" leads there.
bool is_own_host(const std::string& host, std::uint16_t port) {
    for (const std::string name : {"127.0.0.1", "localhost"}) {
        if (lower(host) == name + ":" + std::to_string(port) || (port == 80 && lower(host) == name)) {
            return true;
        }
    }
    return false;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// @return false for a broken escape
bool decode_percent(std::string_view text, std::string& out) {
    out.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return false;
        const int high = hex_digit(text[i + 1]);
        const int low = hex_digit(text[i + 2]);
        if (high < 0 || low < 0) return false;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return true;
}

// Once decoded, and only once: "%252e" is a file named "%2e", which no page has.
bool is_plain_path(const std::string& path) {
    if (find_invalid_utf8(path) != std::string::npos) return false;
    return std::none_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\';
    });
}

// Hidden files ("." and ".." among them) and empty names are no part of a page.
bool has_only_plain_names(std::string_view path) {
    while (true) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end == 0 || path[0] == '.') return false;
        if (end == path.size()) return true;
        path.remove_prefix(end + 1);
    }
}

RequestVerdict judge_measure(const RequestHead& head) {
    if (head.method != "POST") return refuse(405, "Timings are measured on POST.", "POST");
    const std::string own = "http://" + lower(head.hosts.front());
    if (head.origins.size() != 1 || lower(head.origins.front()) != own) {
        return refuse(403, "Only the page served here may measure.");
    }
    if (std::any_of(head.fetch_sites.begin(), head.fetch_sites.end(),
                    [](const std::string& site) { return site != "same-origin"; })) {
        return refuse(403, "Only the page served here may measure.");
    }
    RequestVerdict verdict;
    verdict.action = RequestVerdict::Action::measure;
    verdict.status = 200;
    return verdict;
}

}  // namespace

RequestVerdict judge_request(const RequestHead& head, std::uint16_t port) {
    if (head.hosts.size() != 1) return refuse(400, "A request needs one Host header.");
    if (!is_own_host(head.hosts.front(), port)) {
        return refuse(421, "This server answers to 127.0.0.1 and localhost only.");
    }
    if (head.target.empty() || head.target[0] != '/') return refuse(400, "The path must begin with a slash.");
    std::string_view path = head.target.substr(0, head.target.find_first_of("?#"));
    if (path == kTimingPath) return judge_measure(head);
    if (head.method != "GET" && head.method != "HEAD") {
        return refuse(405, "Files are read with GET and HEAD.", "GET, HEAD");
    }
    path.remove_prefix(1);
    RequestVerdict verdict;
    if (!decode_percent(path, verdict.path) || !is_plain_path(verdict.path)) {
        return refuse(400, "The path cannot be read.");
    }
    if (verdict.path.empty() || verdict.path.back() == '/') verdict.path += "index.html";
    if (!has_only_plain_names(verdict.path)) return refuse(404, "There is no such file.");
    verdict.action = RequestVerdict::Action::file;
    verdict.status = 200;
    return verdict;
}

}  // namespace mm
