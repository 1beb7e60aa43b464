// One client's connection, with an end to everything: how much is read from it, how long it may take to send
// its request, to take its answer, and how long the server waits for it when it is told to stop.
//
// httplib parses what is read here. Its own stream waits as long as a byte comes now and then, and reads a
// line however long it is.
#pragma once

#include <httplib.h>

#include <chrono>

namespace mm {

struct ConnectionLimits {
    std::size_t request_bytes = 16 << 10;           // head and body
    std::chrono::milliseconds request_time{10000};  // until the whole request is there
    std::chrono::milliseconds answer_time{60000};   // from its first byte to its last
};

class Connection : public httplib::Stream {
  public:
    /// @param socket   not owned
    /// @param stopped  a descriptor that becomes readable when the server is to stop
    Connection(int socket, int stopped, const ConnectionLimits& limits);

    bool is_readable() const override;
    bool is_writable() const override;
    /// −1 when a limit is reached.
    ssize_t read(char* data, std::size_t size) override;
    ssize_t write(const char* data, std::size_t size) override;
    void get_remote_ip_and_port(std::string& ip, int& port) const override;
    void get_local_ip_and_port(std::string& ip, int& port) const override;
    socket_t socket() const override { return socket_; }

    /// Says that nothing more comes and lets the client take what was sent: closing a socket that still holds
    /// unread bytes would throw the answer away.
    void finish();

  private:
    using Clock = std::chrono::steady_clock;
    bool wait(short events, Clock::time_point deadline) const;

    int socket_;
    int stopped_;
    ConnectionLimits limits_;
    Clock::time_point request_deadline_;
    Clock::time_point answer_deadline_{};  // set by the first write
    std::size_t read_ = 0;
};

}  // namespace mm
