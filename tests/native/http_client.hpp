// An HTTP client without manners or help: it sends the bytes it is told and shows those that come.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace mm {

// A connection that says exactly what it is told.
class Client {
  public:
    explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            ADD_FAILURE() << "no connection";
        }
    }
    ~Client() { ::close(fd_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    bool send(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t put = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
            if (put <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(put));
        }
        return true;
    }
    /// All that comes until the end or until nothing comes for a while.
    std::string read(int patience_ms = 20000) const {
        std::string text;
        std::array<char, 65536> block{};
        pollfd waiting{fd_, POLLIN, 0};
        while (::poll(&waiting, 1, patience_ms) > 0) {
            const ssize_t got = ::recv(fd_, block.data(), block.size(), 0);
            if (got <= 0) break;
            text.append(block.data(), static_cast<std::size_t>(got));
        }
        return text;
    }

  private:
    int fd_;
};

inline int status_of(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}
inline std::string body_of(const std::string& answer) {
    const auto end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "" : answer.substr(end + 4);
}
}  // namespace mm
