// `bench` as a program: streams, statuses, and that its JSON is what the page imports.
#include <gtest/gtest.h>

#include <set>

#include "core/base/json.hpp"
#include "program.hpp"

namespace mm {
namespace {

TEST(Bench, JsonOfOneSize) {
    const ProgramResult result = run_program({"bench", "--sizes", "lab", "--threads", "1", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const Json found = parse_json(result.out, "output");
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found["made_up_weights"], true);
    EXPECT_FALSE(found["machine"]["cpu"].get<std::string>().empty());
    EXPECT_GE(found["machine"]["cores"], 1);
    EXPECT_EQ(found["machine"]["threads"], Json::array({1}));
    // On one thread float32 is measured with the slowest kernels too, where there are others.
    std::set<std::string> kernels;
    for (const Json& one : found["results"]) kernels.insert(one["instruction_set"]);
    ASSERT_EQ(found["results"].size(), kernels.size() == 1 ? 14U : 21U);
    EXPECT_TRUE(kernels.count(found["machine"]["instruction_set"]));
    for (const Json& one : found["results"]) {
        std::vector<std::string> keys;
        for (const auto& [key, value] : one.items()) keys.push_back(key);
        EXPECT_EQ(keys, (std::vector<std::string>{"size", "what", "threads", "instruction_set", "median",
                                                  "min", "max", "unit", "share_of_limit"}));
    }
}

TEST(Bench, UsageErrors) {
    const auto line = [](const std::vector<std::string>& arguments) {
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.out, "");
        return result.err.substr(0, result.err.find('\n'));
    };
    EXPECT_EQ(line({"bench", "--sizes", "huge"}),
              "mm-native: --sizes: unknown size 'huge' (known: lab, minimind-3)");
    EXPECT_EQ(line({"bench", "--threads", "0"}).find("mm-native: --threads: "), 0U);
    EXPECT_EQ(line({"bench", "--threads", "1,x"}).find("mm-native: --threads: "), 0U);
    EXPECT_EQ(line({"bench", "--threads", ""}), "mm-native: --threads: at least one is needed");
    EXPECT_EQ(line({"bench", "--contexts", "3"}), "mm-native: --contexts: must be from 8 to 32768");
}

}  // namespace
}  // namespace mm
