#include "native/terminal/signals.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

#include "core/base/error.hpp"

namespace mm {
namespace {

constexpr long kPatienceNanoseconds = 150'000'000;

std::atomic<int> g_stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "the handlers may only touch lock-free state");
timer_t g_timer;
bool g_timer_made = false;
bool g_on_terminal = false;

// Fixed places with fixed sizes: a handler may not allocate.
struct Slot {
    enum State { free, claimed, ready };
    std::atomic<int> state{free};
    bool folder = false;
    std::array<char, 4096> path{};
};
std::array<Slot, 16> g_unfinished;

// Everything called here may be called from a handler (signal-safety(7)).
[[noreturn]] void end_now() {
    for (const bool folders : {false, true}) {
        for (auto slot = g_unfinished.rbegin(); slot != g_unfinished.rend(); ++slot) {
            if (slot->state.load() != Slot::ready || slot->folder != folders) continue;
            static_cast<void>(folders ? ::rmdir(slot->path.data()) : ::unlink(slot->path.data()));
        }
    }
    constexpr std::string_view kClear = "\r\x1b[K";  // a progress line may stand there
    constexpr std::string_view kLine = "mm-native: stopped on request\n";
    if (g_on_terminal) static_cast<void>(!::write(STDERR_FILENO, kClear.data(), kClear.size()));
    static_cast<void>(!::write(STDERR_FILENO, kLine.data(), kLine.size()));
    ::_exit(128 + g_stop_signal.load());
}

extern "C" void on_patience_over(int) {
    end_now();
}

extern "C" void on_stop_signal(int number) {
    int none = 0;
    if (!g_stop_signal.compare_exchange_strong(none, number)) {
        if (number == SIGINT) end_now();
        return;
    }
    if (!g_timer_made) return;
    itimerspec patience{};
    patience.it_value.tv_nsec = kPatienceNanoseconds;
    ::timer_settime(g_timer, 0, &patience, nullptr);
}

}  // namespace

void install_signal_handlers() {
    g_on_terminal = ::isatty(STDERR_FILENO) == 1;
    struct sigaction over {};
    over.sa_handler = on_patience_over;
    sigemptyset(&over.sa_mask);
    sigaction(SIGALRM, &over, nullptr);
    sigevent alarm{};
    alarm.sigev_notify = SIGEV_SIGNAL;
    alarm.sigev_signo = SIGALRM;
    g_timer_made = ::timer_create(CLOCK_MONOTONIC, &alarm, &g_timer) == 0;

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
    if (stop_requested()) throw_error(ErrorKind::cancelled, "stopped on request");
}

Unfinished::Unfinished(const std::string& path, Kind kind) {
    if (path.size() >= g_unfinished.front().path.size()) return;
    for (std::size_t i = 0; i < g_unfinished.size(); ++i) {
        Slot& slot = g_unfinished[i];
        int free = Slot::free;
        if (!slot.state.compare_exchange_strong(free, Slot::claimed)) continue;
        slot.folder = kind == Kind::empty_folder;
        std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
        slot.state = Slot::ready;
        slot_ = static_cast<int>(i);
        return;
    }
}

Unfinished::~Unfinished() {
    if (slot_ >= 0) g_unfinished[static_cast<std::size_t>(slot_)].state = Slot::free;
}

}  // namespace mm
