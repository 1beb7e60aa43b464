// Which requests the server answers, without any socket: names, methods, paths, and a million made-up ones.
#include "native/serve/request.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace mm {
namespace {

using Action = RequestVerdict::Action;
constexpr std::uint16_t kPort = 8765;

RequestVerdict judge(std::string_view method, std::string_view target,
                     std::vector<std::string> hosts = {"127.0.0.1:8765"},
                     std::vector<std::string> origins = {}, std::vector<std::string> sites = {}) {
    return judge_request({method, target, std::move(hosts), std::move(origins), std::move(sites)}, kPort);
}

int status(std::string_view method, std::string_view target) {
    return judge(method, target).status;
}

TEST(ServeRequest, FilesOfTheFolder) {
    for (const auto& [target, path] : {std::pair<std::string, std::string>{"/", "index.html"},
                                       {"/?lang=ko&T=1.5", "index.html"},
                                       {"/index.html#step", "index.html"},
                                       {"/assets/app-1a2b.js", "assets/app-1a2b.js"},
                                       {"/a/b/", "a/b/index.html"},
                                       {"/a%20b.txt", "a b.txt"},
                                       {"/%ea%b0%80.txt", "가.txt"},
                                       {"/100%25.txt", "100%.txt"}}) {
        for (const char* method : {"GET", "HEAD"}) {
            const RequestVerdict verdict = judge(method, target);
            EXPECT_EQ(verdict.action, Action::file) << target;
            EXPECT_EQ(verdict.path, path);
        }
    }
}

TEST(ServeRequest, NothingOutsideTheFolder) {
    for (const char* target : {"/../etc/passwd", "/a/../../etc/passwd", "/%2e%2e/etc/passwd",
                               "/%2E%2e%2fetc/passwd", "/..%2f..%2f", "/a/..", "/.", "/./a", "//etc/passwd",
                               "/a//b", "/.git/config", "/a/.hidden", "/%2fetc/passwd", "/..;/a"}) {
        EXPECT_EQ(status("GET", target), 404) << target;
    }
    for (const char* target : {"/a%00.html", "/%00", "/a%0d%0aX:y", "/..\\..\\x", "/..%5cx", "/%", "/%4",
                               "/%zz", "/%ff", "/%c0%ae%c0%ae/x", "/a\x7f"}) {
        EXPECT_EQ(status("GET", target), 400) << target;
    }
    // Decoded once only: a file of that very name, which no page has.
    EXPECT_EQ(judge("GET", "/%252e%252e/x").path, "%2e%2e/x");
}

TEST(ServeRequest, OnlyItsOwnNames) {
    EXPECT_EQ(judge("GET", "/", {"localhost:8765"}).action, Action::file);
    EXPECT_EQ(judge("GET", "/", {"LocalHost:8765"}).action, Action::file);
    for (const char* host :
         {"evil.example", "evil.example:8765", "127.0.0.1", "localhost", "127.0.0.1:8766", "127.0.0.1:08765",
          "127.0.0.2:8765", "0.0.0.0:8765", "[::1]:8765", "localhost.:8765", "localhost.evil.example:8765",
          "127.0.0.1:8765.evil.example", "user@127.0.0.1:8765", " 127.0.0.1:8765", ""}) {
        EXPECT_EQ(judge("GET", "/", {host}).status, 421) << host;
    }
    EXPECT_EQ(judge("GET", "/", {}).status, 400);
    EXPECT_EQ(judge("GET", "/", {"127.0.0.1:8765", "127.0.0.1:8765"}).status, 400);
    EXPECT_EQ(judge_request({"GET", "/", {"localhost"}, {}, {}}, 80).action, Action::file);
}

TEST(ServeRequest, OnlyPathsAsTarget) {
    for (const char* target : {"", "*", "http://127.0.0.1:8765/", "index.html", "?a", "127.0.0.1:8765"}) {
        EXPECT_EQ(status("GET", target), 400) << target;
    }
}

TEST(ServeRequest, OtherMethodsAreNamed) {
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", ""}) {
        const RequestVerdict verdict = judge(method, "/index.html");
        EXPECT_EQ(verdict.status, 405) << method;
        EXPECT_EQ(verdict.allow, "GET, HEAD");
    }
    const RequestVerdict timing = judge("GET", kTimingPath);
    EXPECT_EQ(timing.status, 405);
    EXPECT_EQ(timing.allow, "POST");
}

TEST(ServeRequest, OnlyThePageItselfMeasures) {
    const auto measure = [](std::vector<std::string> origins, std::vector<std::string> sites,
                            const char* host = "127.0.0.1:8765") {
        return judge("POST", kTimingPath, {host}, std::move(origins), std::move(sites));
    };
    EXPECT_EQ(measure({"http://127.0.0.1:8765"}, {"same-origin"}).action, Action::measure);
    EXPECT_EQ(measure({"http://127.0.0.1:8765"}, {}).action, Action::measure) << "browsers before 2023";
    EXPECT_EQ(measure({"http://localhost:8765"}, {"same-origin"}, "localhost:8765").action, Action::measure);
    for (const char* origin : {"https://127.0.0.1:8765", "http://localhost:8765", "http://evil.example",
                               "http://127.0.0.1", "http://127.0.0.1:8766", "null", "",
                               "http://127.0.0.1:8765/", "http://127.0.0.1:8765.evil.example"}) {
        EXPECT_EQ(measure({origin}, {}).status, 403) << origin;
    }
    EXPECT_EQ(measure({}, {"same-origin"}).status, 403);
    EXPECT_EQ(measure({"http://127.0.0.1:8765", "http://127.0.0.1:8765"}, {}).status, 403);
    for (const char* site : {"cross-site", "same-site", "none", ""}) {
        EXPECT_EQ(measure({"http://127.0.0.1:8765"}, {site}).status, 403) << site;
    }
    EXPECT_EQ(judge("POST", kTimingPath, {"evil.example:8765"}, {"http://evil.example:8765"}).status, 421);
    EXPECT_EQ(judge("POST", "/native/timing/", {"127.0.0.1:8765"}, {"http://127.0.0.1:8765"}).status, 405);
    EXPECT_EQ(judge("POST", "/native/%74iming", {"127.0.0.1:8765"}, {"http://127.0.0.1:8765"}).status, 405);
}

// Whatever comes, what is called a file is a plain relative path that stays where it is.
TEST(ServeRequest, MadeUpRequests) {
    std::mt19937 random(0);
    const std::vector<std::string> parts = {
        "/", "..", ".",   "%2e", "%2E",    "%2f", "%5c",  "\\", "%00", "a",      "b.js",   "%", "%2",
        "?", "#",  "%25", "//",  "%c0%ae", "가",  "\xff", "\n", " ",   "native", "timing", ":", "%0d%0a"};
    const std::vector<std::string> methods = {"GET", "HEAD", "POST", "PUT", "", "G\r\nET"};
    const auto pick = [&](const auto& from) -> const std::string& { return from[random() % from.size()]; };
    int files = 0;
    for (int i = 0; i < 300000; ++i) {
        std::string target = random() % 8 == 0 ? "" : "/";
        for (std::size_t n = random() % 8; n > 0; --n) {
            if (random() % 5 == 0) {
                target += static_cast<char>(random());
            } else {
                target += pick(parts);
            }
        }
        const RequestVerdict verdict = judge(pick(methods), target);
        if (verdict.action == Action::refuse) {
            EXPECT_GE(verdict.status, 400);
            EXPECT_FALSE(verdict.reason.empty());
            continue;
        }
        ASSERT_EQ(verdict.action, Action::file) << target << ": no Origin was sent";
        ++files;
        const std::filesystem::path path(verdict.path);
        ASSERT_TRUE(path.is_relative() && path == path.lexically_normal()) << target;
        ASSERT_EQ(verdict.path.find('\0'), std::string::npos) << target;
        for (const auto& name : path) ASSERT_FALSE(name.empty() || name.string()[0] == '.') << target;
    }
    EXPECT_GT(files, 1000) << "made up too wildly to try the other half";
}

}  // namespace
}  // namespace mm
