#include "native/files/mapped_file.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "native/files/file.hpp"

namespace mm {
namespace {

// What the SIGBUS handler knows of the maps that are alive: a few slots, since a program maps few files at a
// time. The line is made in advance: a handler may not allocate.
struct Guard {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0};  // 0: the rest is not ready
    std::atomic<std::uintptr_t> end{0};
    std::array<char, 512> line{};
};
std::array<Guard, 8> g_guards;

extern "C" void on_bus_error(int, siginfo_t* info, void*) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (const Guard& guard : g_guards) {
        if (guard.begin.load() != 0 && at >= guard.begin.load() && at < guard.end.load()) {
            const ssize_t ignored = ::write(STDERR_FILENO, guard.line.data(), std::strlen(guard.line.data()));
            static_cast<void>(ignored);
            _exit(3);
        }
    }
    // Not ours: the default action, when the instruction is tried again.
    signal(SIGBUS, SIG_DFL);
}

int watch(const std::byte* data, std::size_t size, const std::string& file) {
    static const bool installed = [] {
        struct sigaction action {};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        return sigaction(SIGBUS, &action, nullptr) == 0;
    }();
    if (!installed) return -1;
    for (std::size_t i = 0; i < g_guards.size(); ++i) {
        Guard& guard = g_guards[i];
        if (guard.taken.exchange(true)) continue;
        const std::string line =
            "mm-native: " +
            std::string(Error(ErrorKind::io, "became shorter or unreadable while it was read", {.file = file})
                            .what()) +
            "\n";
        const std::size_t length = std::min(line.size(), guard.line.size() - 1);
        std::memcpy(guard.line.data(), line.data(), length);
        guard.line[length] = '\0';
        guard.end = reinterpret_cast<std::uintptr_t>(data) + size;
        guard.begin = reinterpret_cast<std::uintptr_t>(data);
        return static_cast<int>(i);
    }
    return -1;
}

}  // namespace

MappedFile::MappedFile(const std::string& file) {
    const Descriptor fd = open_regular(file, &size_);
    if (size_ == 0) return;  // an empty map is an error of mmap, an empty file is not
    void* const memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (memory == MAP_FAILED) throw io_error(file, "cannot be mapped into memory", errno);
    data_ = static_cast<const std::byte*>(memory);
    guard_ = watch(data_, size_, file);
}

MappedFile::~MappedFile() {
    if (guard_ >= 0) {
        Guard& guard = g_guards[static_cast<std::size_t>(guard_)];
        guard.begin = 0;
        guard.taken = false;
    }
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace mm
