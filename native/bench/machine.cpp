#include "native/bench/machine.hpp"

#include <fstream>
#include <string>

#include "core/base/printable.hpp"
#include "core/tensor/instruction_set.hpp"
#include "native/loading/cpu_count.hpp"
#include "native/version.hpp"

namespace mm {
namespace {

// x86 has "model name"; ARM names the board, or nothing.
std::string cpu_name() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        for (const char* key : {"model name", "Model", "Hardware"}) {
            const std::size_t colon = line.find(':');
            if (!line.starts_with(key) || colon == std::string::npos) continue;
            const std::size_t begin = line.find_first_not_of(' ', colon + 1);
            if (begin != std::string::npos) return printable(line.substr(begin));
        }
    }
    return "unknown";
}

}  // namespace

BenchMachine describe_machine() {
    BenchMachine machine;
    machine.cpu = cpu_name();
    machine.cores = usable_cores();
    machine.instruction_set = to_string(instruction_set());
    machine.version = version();
    return machine;
}

}  // namespace mm
