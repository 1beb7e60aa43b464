// `why` and `attention` as programs: keys, what they say of the demo, and what they refuse. What the numbers
// must be is tests/why's business.
#include <gtest/gtest.h>

#include <algorithm>

#include "program_json.hpp"

namespace mm {
namespace {

void expect_error(const std::vector<std::string>& arguments, const std::string& part) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

TEST(Why, JsonOfTheWholeTable) {
    const Json found = json_of({"why", "--json"});
    EXPECT_EQ(keys(found), (std::vector<std::string>{"experiments"}));
    ASSERT_EQ(found["experiments"].size(), 17U);
    std::map<std::string, Json> by_name;
    for (const Json& one : found["experiments"]) {
        EXPECT_EQ(keys(one), (std::vector<std::string>{
                                 "name", "kind", "first_difference", "largest_difference", "bits_equal",
                                 "kv_bytes", "kv_bytes_formula", "kv_bytes_control", "ids", "ids_control"}));
        EXPECT_EQ(one["kv_bytes"], one["kv_bytes_formula"]) << one["name"];
        EXPECT_EQ(one["ids"].size(), 24U);
        by_name[one["name"]] = one;
    }
    EXPECT_EQ(by_name["position-0"]["first_difference"], 2);
    EXPECT_EQ(by_name["window-8"]["first_difference"], 15);
    EXPECT_EQ(by_name["float16"]["first_difference"], nullptr);
    EXPECT_EQ(by_name["float16"]["kv_bytes"].get<int>() * 2,
              by_name["float16"]["kv_bytes_control"].get<int>());
    EXPECT_EQ(by_name["cache-off"]["bits_equal"], true);
    EXPECT_EQ(by_name["cache-off-drawn"]["bits_equal"], true);
    const Json generated = json_of({"generate", "--prompt", "민수는 강아지 보리와", "--greedy",
                                    "--max-new-tokens", "24", "--eos", "none", "--json"});
    EXPECT_EQ(by_name["position-0"]["ids_control"], generated["rows"][0]);
    EXPECT_EQ(by_name["position-0"]["kv_bytes_control"], generated["kv_bytes"]);
}

TEST(Why, ChosenExperimentsAsATable) {
    const ProgramResult result =
        run_program({"why", "--experiments", "fed-twice,cache-off", "--prompt", "민수는"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with("what was changed")) << result.out;
    EXPECT_NE(result.out.find("\nevery new token fed twice  "), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("\nno cache                   none, all bits equal"), std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("\nunchanged, greedy\n  "), std::string::npos) << result.out;
}

TEST(Why, OldKeysAndValuesOfALayer) {
    const Json found =
        json_of({"why", "--experiments", "cache-off", "--layer", "2", "--head", "3", "--json"})["old_kv"];
    EXPECT_EQ(found["layer"], 2);
    EXPECT_EQ(found["kv_head"], 1);
    EXPECT_EQ(found["causal"]["bits_differing"], 0);
    EXPECT_EQ(found["causal"]["k_stored"], found["causal"]["k_again"]);
    EXPECT_EQ(found["causal"]["k_stored"].size(), 29U);
    EXPECT_GT(found["without_mask"]["bits_differing"], 0);
    EXPECT_NE(found["without_mask"]["k_stored"], found["without_mask"]["k_again"]);
    EXPECT_EQ(found["without_mask"]["layers"][0]["bits_differing"], 0);
}

TEST(Why, Refuses) {
    expect_error({"why", "--experiments", "float17"}, "there is no experiment 'float17'");
    expect_error({"why", "--experiments", ""}, "--experiments");
    expect_error({"why", "--experiments", "cache-off", "--layer", "4"}, "--layer: 4 is not in 0 … 3");
    expect_error({"why", "--experiments", "cache-off", "--head", "4"}, "--head");
    expect_error({"why", "--experiments", "cache-off", "--layer", "-1"}, "--layer");
}

TEST(Attention, JsonKeysAndShapes) {
    const Json found = json_of({"attention", "--ids", "1,752,1146", "--layer", "3", "--head", "2", "--json"});
    EXPECT_EQ(keys(found), (std::vector<std::string>{"layer", "head", "weights", "k", "v"}));
    EXPECT_EQ(found["layer"], 3);
    EXPECT_EQ(found["head"], 2);
    ASSERT_EQ(found["weights"].size(), 3U);
    EXPECT_EQ(found["weights"][0], (Json{1.0, 0.0, 0.0}));
    EXPECT_EQ(found["weights"][1][2], 0.0);
    EXPECT_EQ(found["k"].size(), 3U);
    EXPECT_EQ(found["k"][0].size(), 32U);
    EXPECT_EQ(found["v"][2].size(), 32U);
}

TEST(Attention, TriangleForPeople) {
    const ProgramResult result =
        run_program({"attention", "--prompt", "민수는 강아지 보리와", "--layer", "0", "--head", "0"},
                    {.variables = {{"COLUMNS", "80"}}});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 3 + 1 + 1 + 5) << result.out;
    EXPECT_NE(result.out.find("<|im_start|>"), std::string::npos);
    EXPECT_NE(result.out.find(" 100\n"), std::string::npos) << "the first token sees itself alone";
}

TEST(Attention, Refuses) {
    expect_error({"attention", "--ids", "1", "--head", "0"}, "--layer: is needed");
    expect_error({"attention", "--ids", "1", "--layer", "0"}, "--head: is needed");
    expect_error({"attention", "--ids", "1", "--layer", "4", "--head", "0"}, "--layer: 4 is not in 0 … 3");
    expect_error({"attention", "--ids", "1", "--layer", "0", "--head", "4"}, "--head: 4 is not in 0 … 3");
    expect_error({"attention", "--layer", "0", "--head", "0"}, "--ids and --prompt");
    expect_error({"attention", "--ids", "1800", "--layer", "0", "--head", "0"}, "ids");
}

}  // namespace
}  // namespace mm
