#include "core/tensor/instruction_set.hpp"

#include <array>
#include <atomic>
#include <string>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/tensor/kernels/kernels.hpp"

#ifdef MM_X86_KERNELS
#include <cpuid.h>
#endif

namespace mm {
namespace {

struct Available {
    std::array<InstructionSet, 3> sets{InstructionSet::baseline};
    std::size_t count = 1;
};

#ifdef MM_X86_KERNELS
// Half-precision conversion; clang 14's __builtin_cpu_supports does not know the name.
bool has_f16c() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

Available look() {
    Available found;
#ifdef MM_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && has_f16c()) {
        found.sets[found.count++] = InstructionSet::avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
            found.sets[found.count++] = InstructionSet::avx512;
        }
    }
#endif
    return found;
}

const Available& available() {
    static const Available found = look();
    return found;
}

const Kernels& table(InstructionSet set) {
#ifdef MM_X86_KERNELS
    if (set == InstructionSet::avx2) return kAvx2Kernels;
    if (set == InstructionSet::avx512) return kAvx512Kernels;
#endif
    static_cast<void>(set);
    return kBaselineKernels;
}

struct Choice {
    std::atomic<InstructionSet> set;
    std::atomic<const Kernels*> kernels;
};

Choice& choice() {
    static Choice chosen{available().sets[available().count - 1],
                         &table(available().sets[available().count - 1])};
    return chosen;
}

}  // namespace

std::span<const InstructionSet> available_instruction_sets() {
    return {available().sets.data(), available().count};
}

InstructionSet instruction_set() {
    return choice().set;
}

bool widens_float16() {
    return instruction_set() != InstructionSet::baseline;
}

void set_instruction_set(InstructionSet set) {
    for (const InstructionSet one : available_instruction_sets()) {
        if (one != set) continue;
        choice().set = set;
        choice().kernels = &table(set);
        return;
    }
    throw_error(ErrorKind::unsupported,
                join({"kernels for ", to_string(set), " are not available on this machine"}));
}

std::string_view to_string(InstructionSet set) {
    if (set == InstructionSet::avx2) return "avx2";
    if (set == InstructionSet::avx512) return "avx512";
#if defined(__SSE2__)
    return "sse2";
#elif defined(__ARM_NEON)
    return "neon";
#elif defined(__wasm_simd128__)
    return "simd128";
#else
    return "generic";
#endif
}

const Kernels& kernels() {
    return *choice().kernels.load(std::memory_order_acquire);
}

}  // namespace mm
