// One client's conversation with the server: one request, one answer, and an end to everything.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "native/serve/site_folder.hpp"

namespace mm {

struct ConnectionLimits {
    std::uint32_t request_bytes = 16 << 10;         // of a request's head; a body is not read
    std::chrono::milliseconds request_time{10000};  // until the whole head is there
    std::chrono::milliseconds answer_time{60000};   // from its first byte to its last
};

/// What all connections share. Touched by the server's one thread; only `measure` runs on `measuring_thread`.
struct Service {
    SiteFolder site;
    std::function<std::string()> measure;
    ConnectionLimits limits;
    std::uint16_t port = 0;
    int connections = 0;  // open now
    bool measuring = false;
    boost::asio::thread_pool measuring_thread{1};
};

/// Reads one request, answers it and closes. Returns at once: the rest happens as bytes come and go.
/// @param service  outlives the socket's io_context
void converse(boost::asio::ip::tcp::socket socket, Service& service);

}  // namespace mm
