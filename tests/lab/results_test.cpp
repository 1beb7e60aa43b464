// Each artifact's text from a made-up result, byte for byte; the formulas.
#include <gtest/gtest.h>

#include "core/lab/lab.hpp"
#include "synthetic.hpp"

namespace mm::test {
namespace {

TEST(Formulas, OfTheLabsOwnSizes) {
    const GreedyPairResult pair = pair_result();
    EXPECT_EQ(pair.formula_with_cache(), 264u);
    EXPECT_EQ(pair.formula_without_cache(), 14880u);
    EXPECT_NEAR(pair.token_factor(), 56.36, 0.005);
    EXPECT_EQ(kv_result().formula_bytes(), 204800u);
    EXPECT_EQ(kv_result().repeated_bytes(), 409600u);
}

TEST(Formulas, AgreeWithCountingStepByStep) {
    for (const std::int64_t prompt : {1, 2, 17, 201}) {
        for (const std::int64_t fresh : {1, 2, 64}) {
            GreedyPairResult pair;
            pair.prompt_len = prompt;
            pair.new_tokens = fresh;
            std::uint64_t with = 0;
            std::uint64_t without = 0;
            for (std::int64_t step = 0; step < fresh; ++step) {
                with += static_cast<std::uint64_t>(step == 0 ? prompt : 1);
                without += static_cast<std::uint64_t>(prompt + step);
            }
            EXPECT_EQ(pair.formula_with_cache(), with);
            EXPECT_EQ(pair.formula_without_cache(), without);
        }
    }
}

TEST(GreedyPair, FindsWhetherAndWhereIdsDiffer) {
    GreedyPairResult pair = pair_result();
    EXPECT_TRUE(pair.same_ids());
    EXPECT_FALSE(pair.first_difference());
    pair.ids_without_cache[17] = 999;
    EXPECT_FALSE(pair.same_ids());
    EXPECT_EQ(pair.first_difference(), 17u);
}

TEST(Json, SameAndCount) {
    GreedyPairResult pair = pair_result();
    pair.ids_with_cache = pair.ids_without_cache = {5, 6, 7};
    EXPECT_EQ(same_json(pair),
              "{\"prompt_len\": 201, \"new_tokens\": 64, \"same_ids\": true, \"ids\": [5, 6, 7]}\n");
    pair.ids_without_cache = {5, 6, 8};
    EXPECT_EQ(same_json(pair),
              "{\"prompt_len\": 201, \"new_tokens\": 64, \"same_ids\": false, \"ids\": [5, 6, 7]}\n");
    EXPECT_EQ(count_json(pair),
              "{\"prompt_len\": 201, \"new_tokens\": 64, \"fed_with_cache\": 264, "
              "\"fed_without_cache\": 14880}\n");
}

TEST(Json, TimeHoldsTheMedians) {
    TimingResult timing;
    timing.with_cache = {{{0.03, 0.01}, {0.01, 0.002}, {0.02, 0.004}}};
    timing.without_cache = {{{0.5, 0}, {0.7, 0}, {0.6, 0}}};
    EXPECT_EQ(timing.with_cache_median().first_step_seconds, 0.004);
    EXPECT_EQ(to_json(timing.summary()),
              "{\"with_cache_s\": 0.02, \"without_cache_s\": 0.6, \"speedup\": 30.0}\n");
    EXPECT_DOUBLE_EQ(timing.spread(), 3.0);
    EXPECT_DOUBLE_EQ(cached_token_times(timing, 4, 9).first_step, 0.001);
    EXPECT_DOUBLE_EQ(cached_token_times(timing, 4, 9).later_steps, 0.002);
}

TEST(Json, KvBytes) {
    KvBytesResult kv = kv_result();
    EXPECT_EQ(to_json(kv),
              "{\"tokens\": 100, \"measured_bytes\": 204800, \"formula_bytes\": 204800, "
              "\"k_shape\": [1, 100, 2, 32]}\n");
    kv.measured_bytes = 5;  // measured, not copied from the formula
    EXPECT_NE(to_json(kv).find("\"measured_bytes\": 5, \"formula_bytes\": 204800"), std::string::npos);
}

TEST(Json, TemperatureAndTopP) {
    EXPECT_EQ(to_json(temperature_result(3, 20, 30)),
              "{\"0.3\": {\"distinct\": 3}, \"1.0\": {\"distinct\": 20}, \"1.5\": {\"distinct\": 30}}\n");
    EXPECT_EQ(to_json(top_p_result({12, 80, 300}, {1, 2, 9})), "{\"0.5\": 12, \"0.9\": 80, \"0.99\": 300}\n");
}

TEST(Artifacts, AllInTheLabsOrder) {
    LabResults results;
    results.steps = {"cache", "same", "count", "time", "kvbytes", "temp", "topp", "report"};
    results.set(pair_result());
    results.set(timing_result(0.0123, 0.456, 0.003).summary());
    results.set(kv_result());
    results.set(temperature_result(3, 20, 30));
    results.set(top_p_result({12, 80, 300}, {1, 2, 9}));
    std::vector<std::string> names;
    for (const Artifact& artifact : artifacts(results)) {
        names.push_back(artifact.name);
        ASSERT_FALSE(artifact.text.empty()) << artifact.name;
        EXPECT_EQ(artifact.text.back(), '\n') << artifact.name;
        EXPECT_EQ(artifact.text.find('\r'), std::string::npos) << artifact.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"cache.py", "same.json", "count.json", "time.json",
                                               "kvbytes.json", "temp.json", "topp.json", "report.md"}));
}

TEST(Artifacts, OnlyWhatWasAskedFor) {
    LabResults results;
    results.steps = {"count"};
    results.set(pair_result());
    const std::vector<Artifact> files = artifacts(results);
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].name, "count.json");
    EXPECT_EQ(files[0].text, count_json(pair_result()));
}

}  // namespace
}  // namespace mm::test
