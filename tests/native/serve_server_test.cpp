// The server with real sockets: what a browser gets, and what someone with bad manners gets.
#include "native/serve/server.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "http_client.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

class Serve : public testing::Test {
  protected:
    Serve() {
        fs::create_directory(folder_.path() / "site");
        fs::create_directory(folder_.path() / "site/assets");
        write_text(folder_ / "secret.txt", "SECRET");
        write_text(folder_ / "site/index.html", "<!doctype html>page");
        write_text(folder_ / "site/assets/a.js", "export {}");
        write_text(folder_ / "site/assets/m.wasm", std::string("\0asm", 4));
        write_text(folder_ / "site/big.pth", std::string(3 << 20, 'x'));
        write_text(folder_ / "site/empty.css", "");
        fs::create_symlink("../secret.txt", folder_.path() / "site/out.txt");
        fs::create_directory_symlink("..", folder_.path() / "site/up");
        fs::create_symlink("index.html", folder_.path() / "site/inside.html");
        EXPECT_EQ(::mkfifo((folder_ / "site/pipe").c_str(), 0600), 0);
    }
    ~Serve() override { stop(); }

    void start(ServerOptions options = {}) {
        options.port = 0;
        server_ = std::make_unique<PageServer>(
            SiteFolder(folder_ / "site"), [this] { return measure_(); }, options);
        running_ =
            std::make_unique<std::thread>([this] { server_->run([this] { return stopped_.load(); }); });
    }
    void stop() {
        if (!running_) return;
        stopped_ = true;
        running_->join();
        running_.reset();
    }

    std::string host() const { return "127.0.0.1:" + std::to_string(server_->port()); }
    std::string ask(const std::string& line, const std::string& headers = "") const {
        const Client client(server_->port());
        client.send(line + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers + "\r\n");
        return client.read();
    }
    std::string measure_as(const std::string& origin) const {
        return ask("POST /native/timing", "Origin: " + origin + "\r\nContent-Length: 0\r\n");
    }

    TemporaryFolder folder_;
    std::function<std::string()> measure_ = [] { return std::string("{\"results\": []}\n"); };
    std::unique_ptr<PageServer> server_;
    std::unique_ptr<std::thread> running_;
    std::atomic<bool> stopped_{false};
};

bool has_line(const std::string& answer, const std::string& line) {
    return answer.find("\r\n" + line + "\r\n") != std::string::npos;
}

TEST_F(Serve, FilesWithTheirTypes) {
    start();
    const std::string page = ask("GET /");
    EXPECT_EQ(status_of(page), 200);
    EXPECT_EQ(body_of(page), "<!doctype html>page");
    for (const auto& [path, type] : {std::pair<std::string, std::string>{"/", "text/html; charset=utf-8"},
                                     {"/assets/a.js", "text/javascript; charset=utf-8"},
                                     {"/assets/m.wasm", "application/wasm"},
                                     {"/empty.css", "text/css; charset=utf-8"},
                                     {"/big.pth", "application/octet-stream"},
                                     {"/inside.html", "text/html; charset=utf-8"}}) {
        const std::string answer = ask(std::string("GET ") + path);
        EXPECT_EQ(status_of(answer), 200) << path;
        EXPECT_TRUE(has_line(answer, "Content-Type: " + type)) << answer.substr(0, 600);
    }
    EXPECT_EQ(body_of(ask("GET /big.pth")), std::string(3 << 20, 'x'));
    EXPECT_EQ(body_of(ask("GET /assets/m.wasm")), std::string("\0asm", 4));
}

TEST_F(Serve, EveryAnswerIsGuarded) {
    start();
    for (const char* line : {"GET /", "GET /nothing", "POST /", "GET /../x", "HEAD /"}) {
        const std::string answer = ask(line);
        for (const char* header :
             {"Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Embedder-Policy: require-corp",
              "Cross-Origin-Resource-Policy: same-origin", "X-Content-Type-Options: nosniff",
              "Referrer-Policy: no-referrer", "Cache-Control: no-cache", "Server: mm-native"}) {
            EXPECT_TRUE(has_line(answer, header)) << line << ": " << header << "\n" << answer.substr(0, 900);
        }
        EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none'; "), std::string::npos) << line;
        EXPECT_EQ(answer.find("Access-Control-"), std::string::npos) << line;
    }
}

TEST_F(Serve, HeadSendsNoBody) {
    start();
    const std::string answer = ask("HEAD /big.pth");
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_TRUE(has_line(answer, "Content-Length: 3145728")) << answer;
    EXPECT_EQ(body_of(answer), "");
}

TEST_F(Serve, NothingOutsideTheFolder) {
    start();
    for (const char* path : {"/out.txt", "/up/secret.txt", "/pipe", "/assets", "/assets/", "/../secret.txt",
                             "/%2e%2e/secret.txt", "/assets/../../secret.txt", "//etc/passwd",
                             "/index.html%00.js", "/a%2f..%2f..%2fsecret.txt"}) {
        const std::string answer = ask(std::string("GET ") + path);
        EXPECT_TRUE(status_of(answer) == 404 || status_of(answer) == 400) << path << " " << answer;
        EXPECT_EQ(answer.find("SECRET"), std::string::npos) << path;
    }
    // A link that was put there later is no way out either.
    fs::create_symlink("/etc/hostname", folder_.path() / "site/assets/late.txt");
    EXPECT_EQ(status_of(ask("GET /assets/late.txt")), 404);
}

TEST_F(Serve, ForeignNamesAreRefused) {
    start();
    const Client client(server_->port());
    client.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    EXPECT_EQ(status_of(client.read()), 421);
    const Client two(server_->port());
    two.send("GET / HTTP/1.1\r\nHost: " + host() + "\r\nHost: evil.example\r\n\r\n");
    EXPECT_EQ(status_of(two.read()), 400);
    const Client none(server_->port());
    none.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_EQ(body_of(none.read()).find("page"), std::string::npos);
}

TEST_F(Serve, OnlyFromThisMachine) {
    start();
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);  // 127.0.0.2 would be answered by 0.0.0.0
    EXPECT_NE(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::close(fd);
}

TEST_F(Serve, MeasuresForItsOwnPage) {
    start();
    const std::string answer = measure_as("http://" + host());
    EXPECT_EQ(status_of(answer), 200) << answer;
    EXPECT_EQ(body_of(answer), "{\"results\": []}\n");
    EXPECT_TRUE(has_line(answer, "Content-Type: application/json"));
    EXPECT_EQ(status_of(measure_as("http://evil.example")), 403);
    EXPECT_EQ(status_of(ask("GET /native/timing")), 405);
    // A body is neither needed nor in the way.
    EXPECT_EQ(status_of(ask("POST /native/timing",
                            "Origin: http://" + host() + "\r\nContent-Length: 5\r\n\r\nhello")),
              200);
}

TEST_F(Serve, OneMeasurementAtATime) {
    std::mutex mutex;
    std::condition_variable changed;
    bool begun = false;
    bool may_end = false;
    measure_ = [&] {
        std::unique_lock lock(mutex);
        begun = true;
        changed.notify_all();
        changed.wait(lock, [&] { return may_end; });
        return std::string("{}");
    };
    start();
    std::string first;
    std::thread measuring([&] { first = measure_as("http://" + host()); });
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return begun; });
    }
    const std::string second = measure_as("http://" + host());
    EXPECT_EQ(status_of(second), 429);
    EXPECT_NE(second.find("\r\nRetry-After: "), std::string::npos);
    EXPECT_EQ(status_of(ask("GET /")), 200) << "the page is served meanwhile";
    {
        const std::lock_guard lock(mutex);
        may_end = true;
        changed.notify_all();
    }
    measuring.join();
    EXPECT_EQ(status_of(first), 200);
}

TEST_F(Serve, AFailedMeasurementTellsNothing) {
    measure_ = []() -> std::string { throw std::runtime_error("/home/somebody"); };
    start();
    const std::string answer = measure_as("http://" + host());
    EXPECT_EQ(status_of(answer), 500);
    EXPECT_EQ(answer.find("somebody"), std::string::npos);
    measure_ = [] { return std::string("{}"); };
    EXPECT_EQ(status_of(measure_as("http://" + host())), 200) << "the next one may work";
}

TEST_F(Serve, OversizedRequestsAreCut) {
    start();
    for (const std::string& head : std::vector<std::string>{
             "GET /" + std::string(100000, 'a'), "GET / HTTP/1.1\r\nX: " + std::string(1 << 20, 'a'),
             std::string(1 << 20, 'G'), "GET / HTTP/1.1\r\n" + std::string(1 << 20, '\n'),
             "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=" + std::string(8000, '0') + "\r\n\r\n"}) {
        const Client client(server_->port());
        client.send(head);
        EXPECT_EQ(client.read().find("200 OK"), std::string::npos);
    }
    const Client endless(server_->port());
    std::size_t sent = 0;
    while (sent < (std::size_t{64} << 20) && endless.send(std::string(65536, 'x'))) sent += 65536;
    EXPECT_LT(sent, std::size_t{64} << 20) << "it was read to the end";
    EXPECT_EQ(status_of(ask("GET /")), 200);
}

TEST_F(Serve, RangesDoNotMultiplyTheAnswer) {
    start();
    std::string ranges = "bytes=0-";
    for (int i = 0; i < 1500; ++i) ranges += ",0-";
    EXPECT_LT(ask("GET /big.pth", "Range: " + ranges + "\r\n").size(), std::size_t{4} << 20);
    EXPECT_EQ(status_of(ask("GET /")), 200);
}

TEST_F(Serve, SlowRequestsAreCut) {
    start({.limits = {.request_time = std::chrono::milliseconds(300)}});
    const auto begun = std::chrono::steady_clock::now();
    const Client slow(server_->port());
    for (int i = 0; i < 100; ++i) {
        if (!slow.send("G")) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(slow.read().find("200 OK"), std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST_F(Serve, SomebodyWhoTakesNothingIsCut) {
    write_text(folder_ / "site/huge.bin", std::string(32 << 20, 'x'));
    start({.limits = {.answer_time = std::chrono::milliseconds(300)}});
    const Client client(server_->port());
    client.send("GET /huge.bin HTTP/1.1\r\nHost: " + host() + "\r\n\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_LT(client.read().size(), std::size_t{32} << 20);
    EXPECT_EQ(status_of(ask("GET /")), 200);
}

TEST_F(Serve, AThousandConnectionsKeepNobodyOut) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 8192);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    ASSERT_GE(limit.rlim_cur, 4096U) << "both ends are in this process";
    start();
    {
        std::vector<std::unique_ptr<Client>> silent;
        for (int i = 0; i < 1000; ++i) {
            silent.push_back(std::make_unique<Client>(server_->port()));
            if (i % 2 == 0) silent.back()->send("GET / HTTP/1.1\r\nHo");
        }
        EXPECT_EQ(status_of(ask("GET /")), 200);
        // Stopping does not wait for them.
        const auto begun = std::chrono::steady_clock::now();
        stop();
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    }
}

TEST_F(Serve, MoreThanTheMostAreClosedUnread) {
    start({.max_connections = 4});
    std::vector<std::unique_ptr<Client>> silent;
    for (int i = 0; i < 4; ++i) silent.push_back(std::make_unique<Client>(server_->port()));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(Client(server_->port()).read(), "");
    silent.clear();
    std::this_thread::sleep_for(std::chrono::milliseconds(900));
    EXPECT_EQ(status_of(ask("GET /")), 200);
}

TEST_F(Serve, APortInUseIsNamed) {
    start();
    try {
        const PageServer second(SiteFolder(folder_ / "site"), measure_, {.port = server_->port()});
        FAIL() << "two servers on one port";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(std::to_string(server_->port()) + ": is in use"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(Serve, AFolderWithoutAPageIsRefused) {
    EXPECT_THROW(SiteFolder(folder_ / "nothing"), Error);
    EXPECT_THROW(SiteFolder(folder_ / "secret.txt"), Error);
    EXPECT_THROW(SiteFolder(folder_ / "site/assets"), Error);
}

}  // namespace
}  // namespace mm
