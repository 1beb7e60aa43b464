// How many threads pay: the machine's physical cores that this process may use.
#pragma once

#include <string>

namespace mm {

/// Physical cores among the CPUs this process may run on (its affinity), no more than a container's CPU quota
/// (cgroup version 1 or 2) pays for in full; at least 1. Two hardware threads of one core count once: the
/// kernels keep its units busy alone.
int usable_cores();

/// Whole cores that CPU quotas pay for, the least of this process's control group and those above it; at
/// least 1, or 0 where there is no quota to see.
/// @param groups  file of lines "number:controllers:path", without controllers in version 2
/// @param root    where version 2 is mounted, and version 1's cpu controller in a folder of that name
int quota_cores(const std::string& groups = "/proc/self/cgroup", const std::string& root = "/sys/fs/cgroup");

}  // namespace mm
