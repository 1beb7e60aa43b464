#include "native/serve/server.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "native/serve/request.hpp"

namespace mm {
namespace {

// Scripts and the module of this origin, and nothing else from anywhere. The page's own <meta> says the same.
constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

constexpr const char* kPlainText = "text/plain; charset=utf-8";

// A thread for each connection: they are few, they wait on each other for nothing, and a slow one keeps
// nobody. How many there can be is for the server to limit.
class ThreadForEach : public httplib::TaskQueue {
  public:
    void enqueue(std::function<void()> task) override {
        {
            const std::lock_guard lock(mutex_);
            ++running_;
        }
        const auto run = [this, task = std::move(task)] {
            task();
            const std::lock_guard lock(mutex_);
            --running_;
            ended_.notify_all();
        };
        try {
            std::thread(run).detach();
        } catch (const std::system_error&) {
            run();  // no more threads to have: the others wait for this one, which has its deadline
        }
    }
    void shutdown() override {
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [this] { return running_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable ended_;
    int running_ = 0;
};

std::vector<std::string> values(const httplib::Request& request, const char* header) {
    std::vector<std::string> list;
    const auto [first, last] = request.headers.equal_range(header);
    for (auto one = first; one != last; ++one) list.push_back(one->second);
    return list;
}

// A connection takes a descriptor and an open file another; many systems grant 1,024 unless asked.
void allow_descriptors(int connections) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const auto wanted = static_cast<rlim_t>(2 * connections + 64);
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace

class PageServer::Http : public httplib::Server {
  public:
    Http(SiteFolder site, std::function<std::string()> measure, const ServerOptions& options)
        : site_(std::move(site)),
          measure_(std::move(measure)),
          limits_(options.limits),
          max_connections_(options.max_connections),
          stopped_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (!stopped_.valid()) throw io_error("server", "cannot be set up", errno);
        allow_descriptors(max_connections_);
        new_task_queue = [] { return new ThreadForEach; };
        // httplib's own options would let a second server share the port.
        set_socket_options([](socket_t socket) {
            const int yes = 1;
            ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        set_default_headers({{"Content-Security-Policy", kContentSecurityPolicy},
                             {"Cross-Origin-Opener-Policy", "same-origin"},
                             {"Cross-Origin-Embedder-Policy", "require-corp"},
                             {"Cross-Origin-Resource-Policy", "same-origin"},
                             {"X-Content-Type-Options", "nosniff"},
                             {"Referrer-Policy", "no-referrer"},
                             {"Cache-Control", "no-cache"},
                             {"Server", "mm-native"}});
        // Everything is answered here, before httplib would look for handlers or read a body.
        set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
            answer(request, response);
            return HandlerResponse::Handled;
        });
        set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
            response.status = 500;
            response.set_content("Something went wrong here.\n", kPlainText);
        });
        listen_on(options.port);
    }

    std::uint16_t port() const { return port_; }

    void run() {
        // httplib listens with room for five; a browser, or a class, opens more at once.
        ::listen(svr_sock_, max_connections_);
        const bool ended_well = listen_after_bind();
        if (!ended_well && !stopping_) {
            throw Error(ErrorKind::io, "no connection can be taken any more", {.field = port_name()});
        }
    }

    void stop_soon() {
        stopping_ = true;
        const std::uint64_t one = 1;
        static_cast<void>(!::write(stopped_.get(), &one, sizeof one));
        // httplib's stop() would close a descriptor that its thread is about to use; so told, the thread
        // closes it.
        ::shutdown(listening_.get(), SHUT_RDWR);
    }

  private:
    std::string port_name() const { return "port " + std::to_string(port_); }

    void listen_on(std::uint16_t port) {
        port_ = port;
        errno = 0;
        const int bound = port == 0                         ? bind_to_any_port("127.0.0.1")
                          : bind_to_port("127.0.0.1", port) ? port
                                                            : -1;
        if (bound < 0) {
            const int code = errno;
            throw Error(ErrorKind::io,
                        code == EADDRINUSE ? "is in use by another program"
                        : code == EACCES   ? "may not be used by this user"
                                           : "cannot be listened on",
                        {.field = port_name()}, "--port 0 takes one that is free");
        }
        port_ = static_cast<std::uint16_t>(bound);
        listening_ = Descriptor(::fcntl(svr_sock_, F_DUPFD_CLOEXEC, 0));
        if (!listening_.valid()) throw io_error("server", "cannot be set up", errno);
    }

    // httplib's private virtual, called on a thread of its own for each connection.
    bool process_and_close_socket(socket_t socket) override {
        const Descriptor owned(socket);
        const int others = connections_.fetch_add(1);
        if (others < max_connections_) {
            const int yes = 1;
            ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            Connection connection(socket, stopped_.get(), limits_);
            bool closed = false;
            process_request(connection, true, closed, [](httplib::Request& request) {
                // A list of ranges would be answered with as many copies of the file.
                request.ranges.clear();
            });
            connection.finish();
        }
        connections_.fetch_sub(1);
        return true;
    }

    void answer(const httplib::Request& request, httplib::Response& response) {
        const RequestVerdict verdict = judge_request({.method = request.method,
                                                      .target = request.target,
                                                      .hosts = values(request, "Host"),
                                                      .origins = values(request, "Origin"),
                                                      .fetch_sites = values(request, "Sec-Fetch-Site")},
                                                     port_);
        response.status = verdict.status;
        switch (verdict.action) {
            case RequestVerdict::Action::file:
                return send_file(verdict.path, response);
            case RequestVerdict::Action::measure:
                return send_measurement(response);
            case RequestVerdict::Action::refuse:
                if (!verdict.allow.empty()) response.set_header("Allow", verdict.allow);
                response.set_content(verdict.reason + "\n", kPlainText);
        }
    }

    void send_file(const std::string& path, httplib::Response& response) {
        std::optional<SiteFile> file = site_.open(path);
        if (!file) {
            response.status = 404;
            response.set_content("There is no such file.\n", kPlainText);
            return;
        }
        if (file->size == 0) return response.set_content("", file->type);
        const auto fd = std::make_shared<Descriptor>(std::move(file->fd));
        response.set_content_provider(
            file->size, file->type, [fd](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                std::array<char, 64 << 10> block;
                const ssize_t got = ::pread(fd->get(), block.data(), std::min(length, block.size()),
                                            static_cast<off_t>(offset));
                // A file that was cut meanwhile: the connection is cut too, and the client sees that bytes
                // lack.
                if (got <= 0) return false;
                sink.write(block.data(), static_cast<std::size_t>(got));
                return true;
            });
    }

    void send_measurement(httplib::Response& response) {
        const std::unique_lock one(measuring_, std::try_to_lock);
        if (!one.owns_lock()) {
            response.status = 429;
            response.set_header("Retry-After", "5");
            response.set_content("A measurement is running; two would disturb each other.\n", kPlainText);
            return;
        }
        response.set_header("Cache-Control", "no-store");
        response.set_content(measure_(), "application/json");
    }

    SiteFolder site_;
    std::function<std::string()> measure_;
    ConnectionLimits limits_;
    int max_connections_;
    Descriptor stopped_;
    Descriptor listening_;  // httplib's socket, by a number that stays ours
    std::atomic<bool> stopping_{false};
    std::uint16_t port_ = 0;
    std::atomic<int> connections_{0};
    std::mutex measuring_;
};

PageServer::PageServer(SiteFolder site, std::function<std::string()> measure, const ServerOptions& options)
    : http_(std::make_unique<Http>(std::move(site), std::move(measure), options)) {}
PageServer::~PageServer() = default;

std::uint16_t PageServer::port() const {
    return http_->port();
}

void PageServer::run() {
    http_->run();
}

void PageServer::stop() {
    http_->stop_soon();
}

}  // namespace mm
