// Runs a check once for every instruction set this machine has, and puts the best one back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/tensor/instruction_set.hpp"

namespace mm {

template <typename Check>
void for_each_instruction_set(Check&& check) {
    const InstructionSet before = instruction_set();
    for (const InstructionSet set : available_instruction_sets()) {
        SCOPED_TRACE(std::string(to_string(set)));
        set_instruction_set(set);
        check();
    }
    set_instruction_set(before);
}

/// Equal to the bit; +0 and −0 differ.
inline ::testing::AssertionResult same_bits(std::span<const float> a, std::span<const float> b) {
    if (a.size() != b.size())
        return ::testing::AssertionFailure() << a.size() << " and " << b.size() << " values";
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) {
            return ::testing::AssertionFailure() << "at " << i << ": " << ::testing::PrintToString(a[i])
                                                 << " and " << ::testing::PrintToString(b[i]);
        }
    }
    return ::testing::AssertionSuccess();
}

}  // namespace mm
