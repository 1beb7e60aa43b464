#include "native/loading/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace mm {
namespace {

// The CPU list of a core, e.g. "0,8" or "0-1": the same text for every thread of the core.
std::string core_of(int cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::string siblings;
    std::ifstream(folder + "thread_siblings_list") >> siblings;
    return siblings.empty() ? std::to_string(cpu) : siblings;
}

// cgroup v2's "quota period" or "max period"; 0 when there is no limit to see.
int quota_cores() {
    std::ifstream in("/sys/fs/cgroup/cpu.max");
    double quota = 0;
    double period = 0;
    if (!(in >> quota >> period) || period <= 0) return 0;
    return std::max(1, static_cast<int>(std::ceil(quota / period)));
}

}  // namespace

int usable_cores() {
    std::set<std::string> cores;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &allowed)) cores.insert(core_of(cpu));
        }
    }
    int count = static_cast<int>(cores.size());
    if (count == 0) count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int quota = quota_cores();
    return quota > 0 ? std::min(count, quota) : count;
}

}  // namespace mm
