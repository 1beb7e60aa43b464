// What a program run with --json told.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/json.hpp"
#include "program.hpp"

namespace mm {

/// The one object that the program wrote; it must have done so in silence.
inline Json json_of(const ProgramResult& result) {
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out.find('\n'), result.out.size() - 1) << "one object on one line";
    return parse_json(result.out, "output");
}
inline Json json_of(const std::vector<std::string>& arguments) {
    return json_of(run_program(arguments));
}

inline std::vector<std::string> keys(const Json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
}

}  // namespace mm
