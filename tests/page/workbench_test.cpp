// What no call may be talked into.
#include <gtest/gtest.h>

#include "bench.hpp"

namespace mm::page {
namespace {

TEST_F(Bench, HostileCallsAreRefusedOneByOne) {
    open_all();
    EXPECT_EQ(refusal("nothing", {}), "internal there is no call 'nothing'");
    const std::vector<Json> hostile = {
        {},
        nullptr,
        5,
        "x",
        Json::array(),
        {{"prompt", 1}},
        {{"prompt", {{"kind", "ids"}}}},
        {{"prompt", {{"kind", "ids"}, {"ids", {-1}}}}},
        {{"prompt", {{"kind", "ids"}, {"ids", Json::array()}}}, {"newTokens", 4}},
        {{"prompt", {{"kind", "lab"}}}, {"newTokens", 1e18}},
        {{"prompt", {{"kind", "lab"}}}, {"newTokens", 40000}},
        {{"step", -1}},
        {{"milliseconds", "x"}},
        {{"role", "x"}}};
    for (const std::string_view name : Workbench::names()) {
        if (name == "drop" || name == "lab" || name == "steps" || name == "opened" || name == "experiments" ||
            name == "whyTable") {
            continue;  // take nothing
        }
        for (const Json& params : hostile) {
            if ((name == "time" || name == "tokens") && params.is_object() && params.contains("newTokens"))
                continue;  // good prompts
            EXPECT_THROW(bench.call(name, params), Error) << name << " " << params;
        }
    }
}

}  // namespace
}  // namespace mm::page
