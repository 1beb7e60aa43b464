// How many threads pay: the machine's physical cores that this process may use.
#pragma once

namespace mm {

/// Physical cores among the CPUs this process may run on (its affinity), no more than a container's CPU quota
/// (cgroup version 1 or 2) pays for in full; at least 1. Two hardware threads of one core count once: the
/// kernels keep its units busy alone.
int usable_cores();

}  // namespace mm
