#include "native/terminal/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/printable.hpp"

namespace mm {
namespace {

int columns_of(int fd) {
    struct winsize size {};
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

bool is_terminal(int fd) {
    const char* const term = std::getenv("TERM");
    return ::isatty(fd) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

// https://no-color.org: present and not empty.
bool colour_wanted() {
    const char* const no_color = std::getenv("NO_COLOR");
    return no_color == nullptr || *no_color == '\0';
}

void write_quietly(std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
        if (put <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::string repeat(std::string_view piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
}

}  // namespace

std::string progress_line(std::string_view label, double fraction, int columns, bool coloured) {
    constexpr int kLabel = 8;
    constexpr int kWidestBar = 40;
    constexpr int kNarrowestBar = 8;
    const double clamped = std::clamp(fraction, 0.0, 1.0);
    std::string percent = std::to_string(static_cast<int>(clamped * 100)) + " %";
    percent.insert(0, 5 - std::min<std::size_t>(percent.size(), 5), ' ');
    std::string name(label);
    name.append(kLabel - std::min<std::size_t>(name.size(), kLabel), ' ');
    // The last column stays free: some terminals wrap as soon as it is written.
    const int width = columns - 1;
    const int bar = std::min(kWidestBar, width - static_cast<int>(name.size()) - 2 - 5);
    if (bar < kNarrowestBar) {
        const std::string line = std::string(label) + " " + percent;
        return static_cast<int>(line.size()) <= width ? line : std::string();
    }
    const int done = static_cast<int>(clamped * bar);
    const char* const on = coloured ? "\x1b[36m" : "";
    const char* const dim = coloured ? "\x1b[2m" : "";
    const char* const off = coloured ? "\x1b[0m" : "";
    return name + " " + on + repeat("━", done) + off + dim + repeat("─", bar - done) + off + " " + percent;
}

Console::Console()
    : out(STDOUT_FILENO),
      moving_(is_terminal(STDERR_FILENO)),
      styled_(is_terminal(STDOUT_FILENO) && colour_wanted()) {}

Console::~Console() {
    clear_progress();
}

void Console::note(std::string_view text) {
    clear_progress();
    write_quietly("mm-native: " + mm::printable(text) + "\n");
}

void Console::progress(std::string_view label, double fraction) {
    if (!moving_) return;
    const std::string line = progress_line(label, fraction, columns_of(STDERR_FILENO), colour_wanted());
    if (shown_ && line == last_) return;
    last_ = line;
    shown_ = true;
    write_quietly("\r\x1b[K" + line);
}

void Console::clear_progress() {
    if (!shown_) return;
    shown_ = false;
    write_quietly("\r\x1b[K");
}

std::string Console::printable(std::string_view text) const {
    if (::isatty(STDOUT_FILENO) != 1) return std::string(text);
    return mm::printable(text, std::string_view::npos, "\n\t");
}

int Console::columns() const {
    return ::isatty(STDOUT_FILENO) == 1 ? columns_of(STDOUT_FILENO) : 80;
}

}  // namespace mm
