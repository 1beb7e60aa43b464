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

// Whole cores that one group's quota pays for; 0 when it sets none. Version 2 writes "quota period" or
// "max period", version 1 two files, −1 for no limit.
int quota_of(const std::string& folder) {
    double quota = 0;
    double period = 0;
    std::ifstream both(folder + "/cpu.max");
    if (!(both >> quota >> period)) {
        std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
        std::ifstream(folder + "/cpu.cfs_period_us") >> period;
    }
    if (quota <= 0 || period <= 0) return 0;
    return std::max(1,
                    static_cast<int>(std::floor(quota / period)));  // part of a core is throttled, not lent
}

}  // namespace

int quota_cores(const std::string& groups, const std::string& root) {
    int least = 0;
    std::ifstream in(groups);
    for (std::string line; std::getline(in, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const bool version2 = controllers == ",,";
        if (!version2 && controllers.find(",cpu,") == std::string::npos) continue;
        const std::string mounted = version2 ? root : root + "/cpu";
        for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
            const int cores = quota_of(mounted + path);
            if (cores > 0 && (least == 0 || cores < least)) least = cores;
            if (path.find('/') == std::string::npos) break;  // a container may see its own group as the root
        }
    }
    return least;
}

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
