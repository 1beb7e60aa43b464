#include "native/serve/server.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <utility>

#include "core/base/join.hpp"

namespace mm {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

// A connection takes a descriptor and an open file another; many systems grant 1,024 unless asked.
void allow_descriptors(int connections) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const auto wanted = 2 * static_cast<rlim_t>(connections) + 64;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace

class PageServer::Listener {
  public:
    Listener(SiteFolder site, std::function<std::string()> measure, const ServerOptions& options)
        : service_{.site = std::move(site),
                   .measure = std::move(measure),
                   .limits = options.limits,
                   .port = options.port},
          max_connections_(options.max_connections) {
        allow_descriptors(max_connections_);
        listen();
        service_.port = acceptor_.local_endpoint().port();
        accept_next();
    }
    // A measurement hands its result to io_, which must still be there; it keeps its connection until then.
    ~Listener() { service_.measuring_thread.join(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::uint16_t port() const { return service_.port; }

    void run(const std::function<bool()>& is_stopped) {
        while (!is_stopped()) io_.run_for(std::chrono::milliseconds(50));
    }

  private:
    void listen() {
        ErrorCode error;
        acceptor_.open(tcp::v4(), error);
        // A port is free again at once after its program has ended; two programs never share one.
        if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor_.bind({asio::ip::address_v4::loopback(), service_.port}, error);
        // A browser, or a class, opens many at once.
        if (!error) acceptor_.listen(max_connections_, error);
        if (error) {
            throw_error(ErrorKind::io,
                        error.value() == EADDRINUSE ? "is in use by another program"
                        : error.value() == EACCES   ? "may not be used by this user"
                                                    : "cannot be opened for listening",
                        {.field = join({"port ", service_.port})}, "--port 0 takes a free one");
        }
        // The browser that is started may live longer than this program.
        static_cast<void>(::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC));
    }

    void accept_next() {
        acceptor_.async_accept([this](ErrorCode error, tcp::socket socket) {
            if (error) return accept_after_a_pause();
            accept_next();
            if (service_.connections < max_connections_) converse(std::move(socket), service_);
        });
    }

    // No more descriptors or memory to have: connections that end give theirs back.
    void accept_after_a_pause() {
        pause_.expires_after(std::chrono::milliseconds(50));
        pause_.async_wait([this](ErrorCode) { accept_next(); });
    }

    Service service_;
    int max_connections_;
    asio::io_context io_{1};
    tcp::acceptor acceptor_{io_};
    asio::steady_timer pause_{io_};
};

PageServer::PageServer(SiteFolder site, std::function<std::string()> measure, const ServerOptions& options)
    : listener_(std::make_unique<Listener>(std::move(site), std::move(measure), options)) {}
PageServer::~PageServer() = default;

std::uint16_t PageServer::port() const {
    return listener_->port();
}

void PageServer::run(const std::function<bool()>& is_stopped) {
    listener_->run(is_stopped);
}

}  // namespace mm
