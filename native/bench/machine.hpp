// What the system tells about the machine a measurement was made on.
#pragma once

#include "core/tensor/instruction_set.hpp"
#include "native/bench/bench.hpp"

namespace mm {

/// Uses these kernels while it lives. One at a time, made and ended while no kernel runs.
class KernelsForced {
  public:
    explicit KernelsForced(InstructionSet set) : before_(instruction_set()) { set_instruction_set(set); }
    ~KernelsForced() { set_instruction_set(before_); }
    KernelsForced(const KernelsForced&) = delete;
    KernelsForced& operator=(const KernelsForced&) = delete;

  private:
    InstructionSet before_;
};

/// All but the numbers of threads, which the caller chooses.
BenchMachine describe_machine();

}  // namespace mm
