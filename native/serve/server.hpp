// The page over HTTP, to this machine only, and the native twin's timings for it.
//
// Boost.Beast speaks HTTP; who may ask for what is request.hpp's, files are site_folder.hpp's, one client's
// conversation connection.hpp's. Measuring is the caller's function: the server only sees to it that one runs
// at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "native/serve/connection.hpp"

namespace mm {

struct ServerOptions {
    std::uint16_t port = 8765;  // 0: any that is free
    ConnectionLimits limits = {};
    int max_connections = 1200;  // more at once are closed unread
};

class PageServer {
  public:
    /// Listens on 127.0.0.1; answers once run() is called.
    /// @param measure  makes a JSON text; called on a thread of its own, never twice at once. May throw
    /// @throws Error{io} naming the port, when it is taken
    PageServer(SiteFolder site, std::function<std::string()> measure, const ServerOptions& options = {});
    /// Cuts open connections; waits for a measurement that is running.
    ~PageServer();
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;

    std::uint16_t port() const;

    /// Answers, on this thread, until `is_stopped` says so. @param is_stopped asked 20 times a second
    void run(const std::function<bool()>& is_stopped);

  private:
    class Listener;
    std::unique_ptr<Listener> listener_;
};

}  // namespace mm
