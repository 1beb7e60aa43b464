// The page over HTTP, to this machine only, and the native twin's timings for it.
//
// httplib speaks HTTP; who may ask for what is request.hpp's, files are site_folder.hpp's, limits of a
// connection connection.hpp's. Measuring is the caller's function: the server only sees to it that one runs
// at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "native/serve/connection.hpp"
#include "native/serve/site_folder.hpp"

namespace mm {

struct ServerOptions {
    std::uint16_t port = 8765;  // 0: any that is free
    ConnectionLimits limits = {};
    int max_connections = 1200;  // more at once are closed unread
};

class PageServer {
  public:
    /// Listens on 127.0.0.1; answers once run() is called.
    /// @param measure  makes a JSON text; called on any thread, never twice at once. May throw
    /// @throws Error{io} naming the port, when it is taken
    PageServer(SiteFolder site, std::function<std::string()> measure, const ServerOptions& options = {});
    ~PageServer();
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;

    std::uint16_t port() const;

    /// Answers until stop(). @throws Error{io} when the system takes the port away
    void run();
    /// Makes run() return soon: waiting connections are cut. Any thread, but no signal handler.
    void stop();

  private:
    class Http;
    std::unique_ptr<Http> http_;
};

}  // namespace mm
