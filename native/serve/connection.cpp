#include "native/serve/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace mm {

Connection::Connection(int socket, int stopped, const ConnectionLimits& limits)
    : socket_(socket),
      stopped_(stopped),
      limits_(limits),
      request_deadline_(Clock::now() + limits.request_time) {}

bool Connection::wait(short events, Clock::time_point deadline) const {
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) return false;
        std::array<pollfd, 2> fds{pollfd{socket_, events, 0}, pollfd{stopped_, POLLIN, 0}};
        const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        if (fds[0].revents != 0) return true;  // an end or an error is for recv and send to find
        return false;
    }
}

bool Connection::is_readable() const {
    return read_ < limits_.request_bytes && wait(POLLIN, request_deadline_);
}

bool Connection::is_writable() const {
    return wait(POLLOUT, answer_deadline_ == Clock::time_point{} ? Clock::now() + limits_.answer_time
                                                                 : answer_deadline_);
}

ssize_t Connection::read(char* data, std::size_t size) {
    while (is_readable()) {
        const ssize_t got =
            ::recv(socket_, data, std::min(size, limits_.request_bytes - read_), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got > 0) read_ += static_cast<std::size_t>(got);
        return got;
    }
    return -1;
}

ssize_t Connection::write(const char* data, std::size_t size) {
    if (answer_deadline_ == Clock::time_point{}) answer_deadline_ = Clock::now() + limits_.answer_time;
    while (is_writable()) {
        const ssize_t put = ::send(socket_, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        return put;
    }
    return -1;
}

// Everything comes from this machine, and nothing depends on where from.
void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
    ip = "127.0.0.1";
    port = 0;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
    ip = "127.0.0.1";
    port = 0;
}

void Connection::finish() {
    ::shutdown(socket_, SHUT_WR);
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(500);
    std::array<char, 4096> rest{};
    std::size_t thrown_away = 0;
    while (thrown_away < limits_.request_bytes && wait(POLLIN, deadline)) {
        const ssize_t got = ::recv(socket_, rest.data(), rest.size(), MSG_DONTWAIT);
        if (got <= 0) return;
        thrown_away += static_cast<std::size_t>(got);
    }
}

}  // namespace mm
