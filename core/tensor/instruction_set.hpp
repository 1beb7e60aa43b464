// Which of the compiled kernel sets is used. All give the same bits; they differ in speed alone.
//
// On x86-64 the kernels are compiled three times and the best set the processor has is taken at the first
// call; elsewhere there is one set. Forcing another is for tests and benchmarks.
#pragma once

#include <span>
#include <string_view>

namespace mm {

enum class InstructionSet {
    baseline,  // SSE2, NEON or wasm SIMD128: four lanes
    avx2,      // with F16C, without FMA
    avx512,    // F, BW, DQ, VL
};

/// What was compiled and this processor can run, slowest first; the baseline is always there.
std::span<const InstructionSet> available_instruction_sets();

/// The set in use.
InstructionSet instruction_set();

/// Uses `set` from the next kernel call on. Not while kernels run.
/// @throws Error{unsupported} when it is not available here.
void set_instruction_set(InstructionSet set);

/// "sse2", "neon", "simd128" or "generic" for the baseline; "avx2"; "avx512".
std::string_view to_string(InstructionSet set);

}  // namespace mm
