#include "native/loading/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/base/error.hpp"
#include "core/lab/json_text.hpp"

namespace mm {
namespace {

// "MemAvailable:   123 kB" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> meminfo(const std::string& name) {
    std::ifstream in("/proc/meminfo");
    std::string label;
    std::uint64_t kilobytes = 0;
    for (std::string rest; in >> label >> kilobytes && std::getline(in, rest);) {
        if (label == name + ":") return kilobytes << 10;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> number_in(const std::string& file) {
    std::uint64_t value = 0;
    if (std::ifstream(file) >> value) return value;  // "max" is not a number: no limit
    return std::nullopt;
}

std::uint64_t what_is_left(std::uint64_t limit, std::uint64_t used) {
    return limit > used ? limit - used : 0;
}

}  // namespace

std::optional<std::uint64_t> available_memory() {
    std::optional<std::uint64_t> least = meminfo("MemAvailable");
    if (least) *least += meminfo("SwapFree").value_or(0);
    const auto also = [&least](std::uint64_t left) { least = std::min(least.value_or(left), left); };

    // Inside a container the group's own files stand here. Its page cache counts as used though it yields;
    // the model's file, just read, may be most of it.
    const std::string group = "/sys/fs/cgroup/";
    if (const auto limit = number_in(group + "memory.max")) {
        const std::uint64_t used = number_in(group + "memory.current").value_or(0);
        std::uint64_t cache = 0;
        std::ifstream stat(group + "memory.stat");
        std::string name;
        for (std::uint64_t value = 0; stat >> name >> value;) {
            if (name == "file") cache = value;
        }
        also(what_is_left(*limit, what_is_left(used, cache)));
    }
    rlimit space{};
    if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        also(what_is_left(space.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))));
    }
    return least;
}

void require_memory(std::uint64_t bytes, const std::string& file) {
    const std::optional<std::uint64_t> available = available_memory();
    if (!available || bytes <= *available) return;
    const auto megabytes = [](std::uint64_t count) {
        return rounded_text(static_cast<double>(count) / 1e6, 3) + " MB";
    };
    throw_error(
        ErrorKind::io,
        "the model needs " + megabytes(bytes) + " of memory, " + megabytes(*available) + " are available",
        {.file = file}, "a checkpoint saved as float16 or bfloat16 needs half of a float32 one");
}

void require_memory_for_reference(const ModelConfig& config, std::uint64_t floats, const std::string& file) {
    // It holds the output head beside the embedding, tied or not.
    const auto head =
        static_cast<std::uint64_t>(config.vocab_size) * static_cast<std::uint64_t>(config.hidden_size);
    require_memory(sizeof(float) * (config.parameter_count() + head + floats), file);
}

}  // namespace mm
