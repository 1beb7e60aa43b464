#include "native/serve/serve.hpp"

#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <fcntl.h>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include "core/lab/json_text.hpp"
#include "native/serve/live_timing.hpp"
#include "native/serve/server.hpp"
#include "native/terminal/console.hpp"
#include "native/terminal/signals.hpp"

extern char** environ;

namespace mm {
namespace {

// Signals go to the thread that waits for them: httplib takes an interrupted accept for the end.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

SiteFolder page_folder(const ServeOptions& options) {
    if (options.dir) return SiteFolder(*options.dir);
    const std::string built = built_page_folder();
    if (!is_regular_file(built + "/index.html")) {
        throw Error(ErrorKind::io, "the page is not built", {.file = built},
                    "cmake --workflow --preset web builds it; --dir names another folder");
    }
    return SiteFolder(built);
}

void open_in_browser(const std::string& address, Console& console) {
    std::array<const char*, 3> argv{"xdg-open", address.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY,
                                         0);
    }
    pid_t child = 0;
    if (::posix_spawnp(&child, argv[0], &actions, nullptr, const_cast<char* const*>(argv.data()), environ) !=
        0) {
        console.note("--open: there is no xdg-open here; open the address yourself");
    }
    posix_spawn_file_actions_destroy(&actions);
}

// Runs the server on a thread of its own until a signal or its end.
void run_until_stopped(PageServer& server) {
    std::exception_ptr failure;
    std::atomic<bool> ended{false};
    std::unique_ptr<std::thread> runner;
    {
        const SignalsBlocked in_all_its_threads;
        runner = std::make_unique<std::thread>([&] {
            try {
                server.run();
            } catch (...) {
                failure = std::current_exception();
            }
            ended = true;
        });
    }
    const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    while (!ended && !stop_requested()) wait();
    // Again and again: a stop that comes before the server has begun is not seen by it.
    while (!ended) {
        server.stop();
        wait();
    }
    runner->join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

int serve(const ServeOptions& options, Console& console) {
    const auto measure = [&console] { return json_text(measure_demo(console)); };
    PageServer server(page_folder(options), measure, {.port = static_cast<std::uint16_t>(options.port)});
    const std::string address = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
    console.out.line(address);
    console.out.flush();
    console.note("serving the page to this machine only; Ctrl-C ends it");
    if (options.open) open_in_browser(address, console);
    run_until_stopped(server);
    throw_if_stopped();
    throw Error(ErrorKind::internal, "the server ended by itself");
}

}  // namespace mm
