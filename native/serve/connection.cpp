#include "native/serve/connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "native/serve/request.hpp"

namespace mm {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

// Scripts and the module of this origin, and nothing else from anywhere. The page's own <meta> says the same.
constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

constexpr const char* kPlainText = "text/plain; charset=utf-8";

// Every step keeps the connection alive until the next one; the last lets go of it, which closes the socket.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(asio::ip::tcp::socket socket, Service& service)
        : service_(service), stream_(std::move(socket)), buffer_(service.limits.request_bytes) {
        ++service_.connections;
    }
    ~Connection() { --service_.connections; }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void read_request() {
        beast::error_code ignored;
        stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
        parser_.header_limit(service_.limits.request_bytes);
        stream_.expires_after(service_.limits.request_time);
        http::async_read_header(
            stream_, buffer_, parser_,
            [self = shared_from_this()](beast::error_code error, std::size_t) { self->answer_to(error); });
    }

  private:
    using Response = http::response<http::string_body>;

    void answer_to(beast::error_code error) {
        if (!error) return answer();
        if (error == http::error::header_limit || error == http::error::buffer_overflow) {
            return send_text(431, "The request's head is too long.\n");
        }
        if (error == http::error::end_of_stream || error == http::error::partial_message) return;
        if (error.category() == make_error_code(http::error::bad_method).category()) {
            send_text(400, "This is not an HTTP request.\n");
        }
    }

    std::vector<std::string> values(const char* name) const {
        std::vector<std::string> list;
        const auto [first, last] = parser_.get().equal_range(name);
        for (auto one = first; one != last; ++one) list.emplace_back(one->value());
        return list;
    }

    void answer() {
        const std::string method(parser_.get().method_string());
        const std::string target(parser_.get().target());
        is_head_ = method == "HEAD";
        const RequestVerdict verdict = judge_request({.method = method,
                                                      .target = target,
                                                      .hosts = values("Host"),
                                                      .origins = values("Origin"),
                                                      .fetch_sites = values("Sec-Fetch-Site")},
                                                     service_.port);
        switch (verdict.action) {
            case RequestVerdict::Action::file:
                return send_file(verdict.path);
            case RequestVerdict::Action::measure:
                return measure();
            case RequestVerdict::Action::refuse:
                Response response = text(verdict.status, verdict.reason + "\n");
                if (!verdict.allow.empty()) response.set(http::field::allow, verdict.allow);
                send(std::move(response));
        }
    }

    // A range that was asked for is not looked at: the whole file is an answer to it, too.
    void send_file(const std::string& path) {
        std::optional<SiteFile> file = service_.site.open(path);
        if (!file) return send_text(404, "There is no such file.\n");
        http::response<http::file_body> response;
        response.set(http::field::content_type, file->type);
        beast::file_posix opened;
        opened.native_handle(file->fd.release());
        beast::error_code error;
        // Should the file be cut while it is sent, so is the connection: the client sees that bytes lack.
        response.body().reset(std::move(opened), error);
        if (error) return send_text(404, "There is no such file.\n");
        send(std::move(response));
    }

    void measure() {
        if (service_.measuring) {
            Response busy = text(429, "A measurement is running; two would disturb each other.\n");
            busy.set(http::field::retry_after, "5");
            return send(std::move(busy));
        }
        service_.measuring = true;
        asio::post(service_.measuring_thread, [self = shared_from_this()]() mutable {
            std::optional<std::string> result;
            try {
                result = self->service_.measure();
            } catch (...) {  // what went wrong is not for whoever asked
            }
            const auto executor = self->stream_.get_executor();
            asio::post(executor, [self = std::move(self), result = std::move(result)] {
                self->service_.measuring = false;
                if (!result) return self->send_text(500, "Something went wrong here.\n");
                Response response = self->text(200, *result);
                response.set(http::field::content_type, "application/json");
                response.set(http::field::cache_control, "no-store");
                self->send(std::move(response));
            });
        });
    }

    static Response text(int status, std::string words) {
        Response response;
        response.result(static_cast<unsigned>(status));
        response.set(http::field::content_type, kPlainText);
        response.body() = std::move(words);
        return response;
    }

    void send_text(int status, std::string words) { send(text(status, std::move(words))); }

    template <class Body>
    void send(http::response<Body> response) {
        for (const auto& [name, value] :
             {std::pair<const char*, const char*>{"Content-Security-Policy", kContentSecurityPolicy},
              {"Cross-Origin-Opener-Policy", "same-origin"},
              {"Cross-Origin-Embedder-Policy", "require-corp"},
              {"Cross-Origin-Resource-Policy", "same-origin"},
              {"X-Content-Type-Options", "nosniff"},
              {"Referrer-Policy", "no-referrer"},
              {"Server", "mm-native"}}) {
            response.set(name, value);
        }
        if (response.count(http::field::cache_control) == 0) {
            response.set(http::field::cache_control, "no-cache");
        }
        response.keep_alive(false);
        response.prepare_payload();
        if (is_head_) return write(http::response<http::empty_body>(std::move(response.base())));
        write(std::move(response));
    }

    template <class Body>
    void write(http::response<Body> response) {
        const auto kept = std::make_shared<http::response<Body>>(std::move(response));
        stream_.expires_after(service_.limits.answer_time);
        http::async_write(stream_, *kept,
                          [self = shared_from_this(), kept](beast::error_code error, std::size_t) {
                              if (!error) self->finish();
                          });
    }

    // Lets the client take what was sent: closing a socket that still holds unread bytes would throw the
    // answer away.
    void finish() {
        beast::error_code ignored;
        stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        stream_.expires_after(std::chrono::milliseconds(500));
        throw_away(0);
    }

    void throw_away(std::size_t so_far) {
        stream_.async_read_some(asio::buffer(rest_), [self = shared_from_this(), so_far](
                                                         beast::error_code error, std::size_t size) {
            const std::size_t thrown_away = so_far + size;
            if (!error && thrown_away < self->service_.limits.request_bytes) self->throw_away(thrown_away);
        });
    }

    Service& service_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    http::request_parser<http::empty_body> parser_;
    bool is_head_ = false;
    std::array<char, 4096> rest_{};
};

}  // namespace

void converse(asio::ip::tcp::socket socket, Service& service) {
    std::make_shared<Connection>(std::move(socket), service)->read_request();
}

}  // namespace mm
