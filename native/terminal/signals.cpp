#include "native/terminal/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "core/base/error.hpp"

namespace mm {
namespace {

std::atomic<int> g_stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "the handler may only touch lock-free state");

extern "C" void on_stop_signal(int number) {
    int none = 0;
    if (!g_stop_signal.compare_exchange_strong(none, number) && number == SIGINT) _exit(128 + SIGINT);
}

}  // namespace

void install_signal_handlers() {
    struct sigaction stop {};
    stop.sa_handler = on_stop_signal;
    sigemptyset(&stop.sa_mask);
    // No SA_RESTART: a read that waits for input has to come back.
    sigaction(SIGINT, &stop, nullptr);
    sigaction(SIGTERM, &stop, nullptr);
    struct sigaction before {};
    // `nohup` starts programs with SIGHUP ignored, and they are to stay so.
    if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &stop, nullptr);
    }
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, nullptr);
    sigaction(SIGXFSZ, &ignore, nullptr);
}

int stop_signal() {
    return g_stop_signal.load();
}

void throw_if_stopped() {
    if (stop_requested()) throw Error(ErrorKind::cancelled, "stopped on request");
}

}  // namespace mm
