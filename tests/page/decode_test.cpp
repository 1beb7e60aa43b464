// The decode scene and distributions, against what MiniMind's own code gives for the demo (tests/golden/demo)
// and against plain recomputation.
#include <gtest/gtest.h>

#include <cmath>

#include "bench.hpp"

namespace mm::page {
namespace {

TEST_F(Bench, TheSceneIsTheLabsTwoRuns) {
    open_all();
    const Json start = bench.call("startDecode", {{"prompt", {{"kind", "lab"}}}, {"newTokens", 64}});
    ASSERT_EQ(start["prompt"].size(), 201u);
    for (std::size_t i = 0; i < 201; ++i) EXPECT_EQ(start["prompt"][i]["id"], golden["same"]["prompt"][i]);
    EXPECT_EQ(start["finalWithCache"], golden["count"]["fed_with_cache"]);
    EXPECT_EQ(start["finalWithoutCache"], golden["count"]["fed_without_cache"]);
    Json last;
    for (std::size_t i = 0; i < 64; ++i) {
        const Json step = bench.call("step", {});
        EXPECT_EQ(step["step"], i + 1);
        EXPECT_EQ(step["token"]["id"], golden["same"]["ids"][i]);
        EXPECT_EQ(step["top"][0]["id"], golden["same"]["ids"][i]);
        EXPECT_EQ(step["top"].size(), 10u);
        EXPECT_TRUE(step["sameToken"]);
        EXPECT_EQ(step["largestDifference"], 0);
        EXPECT_EQ(step["cache"]["bytesUsed"], step["cache"]["formulaBytes"]);
        EXPECT_EQ(step["cache"]["bytesAfterRepeat"], 2 * step["cache"]["bytesUsed"].get<int>());
        EXPECT_EQ(step["cache"]["kShape"], Json({1, 201 + i, 2, 32}));
        for (const char* lane : {"withCache", "withoutCache"}) {
            EXPECT_EQ(step[lane]["fedTotal"], step[lane]["formulaTotal"]) << lane;
        }
        EXPECT_EQ(step["withCache"]["fed"], i == 0 ? 201 : 1);
        EXPECT_EQ(step["withoutCache"]["fed"], 201 + i);
        EXPECT_EQ(step["done"], i == 63);
        last = step;
    }
    const auto ids = golden["same"]["ids"].get<std::vector<TokenId>>();
    EXPECT_EQ(last["textSoFar"], bench.loaded("pretrain").tokenizer.decode(ids));
    EXPECT_EQ(refusal("step", {}), "range step: all 64 steps are made");
}

TEST_F(Bench, GoingBackAndOnAgainGivesTheSameSteps) {
    open_all();
    bench.call("startDecode", {{"prompt", {{"kind", "text"}, {"text", "민수는"}}}, {"newTokens", 20}});
    std::vector<Json> first;
    const auto plain = [](Json step) {
        for (const char* lane : {"withCache", "withoutCache"}) step[lane].erase("milliseconds");
        return step;
    };
    for (int i = 0; i < 20; ++i) first.push_back(plain(bench.call("step", {})));
    for (const int back : {19, 7, 1, 0, 20}) {
        if (back < 20) bench.call("rewind", {{"step", back}});
        for (int i = back; i < 20; ++i) {
            EXPECT_EQ(plain(bench.call("step", {})), first[static_cast<std::size_t>(i)]) << back << " " << i;
        }
    }
    EXPECT_EQ(bench.call("steps", {}), Json({{"made", 20}, {"of", 20}}));
    EXPECT_NE(refusal("rewind", {{"step", 21}}).find("range step: must be a step already made"),
              std::string::npos);
}

Json options(double temperature, int top_k, double top_p) {
    return {{"temperature", temperature}, {"topK", top_k}, {"topP", top_p}};
}

TEST_F(Bench, DistributionsAreTheSamplersAndSumUp) {
    open_all();
    for (const auto& golden_position : golden["topp"]) {
        const Json position = {{"prompt", {{"kind", "text"}, {"text", golden_position["text"]}}}};
        for (const auto& [p, kept] : golden_position["survivors"].items()) {
            const Json view = bench.call(
                "distribution",
                {{"position", position}, {"options", options(1, 0, std::stod(p))}, {"entries", 12}});
            EXPECT_EQ(view["kept"], kept) << p;
            EXPECT_EQ(view["crossing"]["rank"], kept.get<int>() - 1);
            EXPECT_GT(view["crossing"]["cumulative"].get<double>(), std::stod(p));
            EXPECT_EQ(view["top"].size(), 12u);
            EXPECT_EQ(view["rest"]["count"], 1800 - 12);
            double before = view["rest"]["before"];
            double now = view["rest"]["now"];
            for (const auto& entry : view["top"]) {
                before += entry["probability"].get<double>();
                now += entry["now"].get<double>();
                EXPECT_EQ(entry["kept"], entry["rank"] < kept);
                EXPECT_EQ(entry["now"] > 0, entry["kept"]);
            }
            EXPECT_NEAR(before, 1, 1e-5);
            EXPECT_NEAR(now, 1, 1e-5);
        }
    }
}

TEST_F(Bench, EverySamplingOptionReachesTheSampler) {
    open_all();
    const Json position = {{"prompt", {{"kind", "text"}, {"text", "민수는"}}}};
    for (const SamplingOption& option : sampling_options()) {
        std::string name = option.name;
        for (std::size_t at; (at = name.find('_')) != name.npos;) {
            name.erase(at, 1);
            name[at] = static_cast<char>(std::toupper(name[at]));
        }
        const auto said = [&](const Json& value) {
            return refusal("distribution",
                           {{"position", position}, {"options", {{name, value}}}, {"entries", 1}});
        };
        EXPECT_TRUE(said("x").starts_with("range " + name + ": ")) << said("x");
        EXPECT_TRUE(said(-2).starts_with("range ")) << said(-2);
    }
}

TEST_F(Bench, EntropyIsThatOfTheDefinition) {
    open_all();
    const Json position = {{"prompt", {{"kind", "text"}, {"text", "민수는"}}}};
    const Json view = bench.call(
        "distribution", {{"position", position}, {"options", options(1.5, 40, 1)}, {"entries", 1800}});
    double before = 0;
    double now = 0;
    for (const auto& entry : view["top"]) {
        const double p = entry["probability"];
        const double q = entry["now"];
        if (p > 0) before -= p * std::log2(p);
        if (q > 0) now -= q * std::log2(q);
    }
    EXPECT_NEAR(view["entropyBefore"].get<double>(), before, 1e-9);
    EXPECT_NEAR(view["entropyNow"].get<double>(), now, 1e-9);
    EXPECT_NEAR(view["choicesNow"].get<double>(), std::exp2(now), 1e-6);
    EXPECT_EQ(view["keptTopK"], 40);
    EXPECT_EQ(view["kept"], 40);
    const Json greedy =
        bench.call("distribution", {{"position", position}, {"options", options(0, 0, 1)}, {"entries", 2}});
    EXPECT_EQ(greedy["entropyNow"], 0);
    EXPECT_EQ(greedy["choicesNow"], 1);
    EXPECT_EQ(greedy["top"][0]["now"], 1);
}

TEST_F(Bench, FrozenLogitsAreThoseOfThePromptAndModelAtHand) {
    open_all();
    const auto top = [&](const Json& prompt) {
        return bench.call(
            "distribution",
            {{"position", {{"prompt", prompt}}}, {"options", options(1, 0, 1)}, {"entries", 20}})["top"];
    };
    const auto ids = [](int last) { return Json{{"kind", "ids"}, {"ids", {1, 5, last}}}; };
    // More prompts than are kept, each asked for twice and again after all others.
    std::vector<Json> first;
    for (int last = 10; last < 17; ++last) first.push_back(top(ids(last)));
    for (int round = 0; round < 2; ++round) {
        for (int last = 10; last < 17; ++last)
            EXPECT_EQ(top(ids(last)), first[static_cast<std::size_t>(last - 10)]);
    }
    EXPECT_NE(first[0], first[6]);
    // Another model in the same role: nothing of the one before is shown.
    open_one(sft);
    const Json of_sft = top(ids(16));
    EXPECT_NE(of_sft, first[6]);
    open_all();
    EXPECT_EQ(top(ids(16)), first[6]);
}

TEST_F(Bench, AStepsLogitsAreThoseThatChooseTheNextToken) {
    open_all();
    bench.call("startDecode", {{"prompt", {{"kind", "ids"}, {"ids", {1, 5, 6}}}}, {"newTokens", 4}});
    const auto best = [&](int step) {
        return bench.call(
            "distribution",
            {{"position", {{"step", step}}}, {"options", options(1, 0, 1)}, {"entries", 1}})["top"][0];
    };
    const Json ahead = best(0);  // no step is made yet
    for (int step = 0; step < 4; ++step) {
        const Json before = best(step);
        const Json made = bench.call("step", {});
        EXPECT_EQ(made["token"]["id"], before["id"]);
        EXPECT_EQ(best(step), before) << "computed ahead and kept are the same bits";
    }
    EXPECT_EQ(best(0), ahead);
    EXPECT_NE(
        refusal("distribution", {{"position", {{"step", 5}}}, {"options", options(1, 0, 1)}, {"entries", 1}})
            .find("range step"),
        std::string::npos);
}

TEST_F(Bench, FormulasFillIn) {
    open_one(pretrain);
    const Json bytes = bench.call("kvBytes", {{"tokens", {0, 100}}});
    EXPECT_EQ(bytes[1], Json({{"tokens", 100}, {"bytes", 204800}, {"afterRepeat", 409600}}));
    const Json readers =
        bench.call("readers", {{"cardGigabytes", 24}, {"context", 4096}, {"cacheBytesPerValue", 2}});
    EXPECT_EQ(readers["bytesPerReader"], 4096 * 1024);
    EXPECT_EQ(readers["weightBytes"], 1116544 * 4);
    EXPECT_EQ(readers["readers"], (24'000'000'000 - 1116544 * 4) / (4096 * 1024));
    EXPECT_NE(refusal("readers", {{"cardGigabytes", -1}, {"context", 1}, {"cacheBytesPerValue", 4}}),
              "nothing was refused");
    EXPECT_NE(refusal("readers", {{"cardGigabytes", 1}, {"context", 1}, {"cacheBytesPerValue", 3}}),
              "nothing was refused");
}

}  // namespace
}  // namespace mm::page
