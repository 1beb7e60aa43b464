// The machine's limits for what inference does: multiply-then-add in registers, and reading memory.
//
// For benchmarks, which set the speed of real work beside them. Whoever calls holds the clock.
#pragma once

#include <cstddef>

namespace mm {

/// Multiplies and adds float32 vectors in registers, on the calling thread, with the instruction set in use:
/// a multiplication and an addition each, as the kernels compute (never fused, so that bits are the same
/// everywhere).
/// @param rounds  some tens of nanoseconds each
/// @return multiply-adds done, lanes counted one by one
std::size_t multiply_adds(std::size_t rounds);

/// Reads `floats` floats once, on the calling thread, and adds them up.
/// @param from     64-byte aligned
/// @param streams  1: from the first to the last; otherwise four quarters side by side, as a kernel reads
///                 four panels. Which is faster depends on the processor.
/// @return a number that depends on what was read, so that nothing can be left out
float read_memory(const float* from, std::size_t floats, std::size_t streams);

}  // namespace mm
