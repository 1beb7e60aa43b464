// Long work of the page: the lab and its grade, answers, timings; dropped in the middle.
#include <gtest/gtest.h>

#include <utility>

#include "bench.hpp"
#include "core/base/join.hpp"
#include "core/lab/lab.hpp"

namespace mm::page {
namespace {

TEST_F(Bench, TheLabsFilesAndTheirGrade) {
    open_all();
    EXPECT_EQ(refusal("lab", {{"time", "{}"}}),
              "format time.json: with_cache_s: missing from this time.json");
    const char* const time = R"({"with_cache_s": 0.5, "without_cache_s": 5.0, "speedup": 10.0})";
    const Json lab = work("lab", {{"time", time}});
    const std::vector<Artifact> expected = artifacts(run_lab(bench.context(), {}, read_time_json(time, "")));
    ASSERT_EQ(lab["artifacts"].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(lab["artifacts"][i]["name"], expected[i].name);
        EXPECT_EQ(lab["artifacts"][i]["text"], expected[i].text);
    }
    for (const auto& answers : lab["answers"]) EXPECT_EQ(answers["total"], 30);
    Json artifacts = lab["artifacts"];
    const Json full = work("grade", {{"artifacts", artifacts}, {"language", "en"}, {"feedback", "full"}});
    EXPECT_EQ(full["score"], 100);
    EXPECT_EQ(full["max"], 100);
    artifacts.erase(0);
    artifacts.push_back({{"name", "same.json"}, {"text", std::string(2 << 20, '[')}});
    const Json poor = work("grade", {{"artifacts", artifacts}, {"language", "ko"}, {"feedback", "hint"}});
    EXPECT_LT(poor["score"], 100);
    EXPECT_FALSE(poor["checks"][1]["ok"]);
    EXPECT_NE(poor["checks"][1]["hint"], "");
}

TEST_F(Bench, AnswersAreTheLabsAndTheSeedCounts) {
    open_all();
    for (const auto& [temperature, golden_row] : golden["temp"].items()) {
        const Json answers = work("answers", {{"temperature", std::stod(temperature)}, {"seed", "0"}});
        EXPECT_EQ(answers["total"], 30);
        EXPECT_EQ(answers["distinct"], golden_row["distinct"]);
    }
    const auto groups = [&](const char* seed) {
        return work("answers", {{"temperature", 1.0}, {"seed", seed}})["groups"];
    };
    EXPECT_NE(groups("0"), groups("7"));
    EXPECT_EQ(groups("-1"), groups("18446744073709551615"));
    // A top-p that cuts: fewer answers with a broken character at a high temperature, from the same seed.
    const auto broken = [&](double top_p) {
        return work("answers", {{"temperature", 1.5}, {"seed", "0"}, {"topP", top_p}})["broken"].get<int>();
    };
    EXPECT_EQ(broken(1), 26);
    EXPECT_LT(broken(0.9), 26);
}

TEST_F(Bench, TimingTellsRunsMediansAndTheClock) {
    open_one(pretrain);
    const Json timing = work("time", {{"prompt", {{"kind", "ids"}, {"ids", {1, 5, 6}}}}});
    EXPECT_EQ(timing["withCache"].size(), 3u);
    EXPECT_EQ(timing["withoutCache"].size(), 3u);
    EXPECT_NEAR(timing["withCacheSeconds"].get<double>(), 0.064, 1e-9);  // a tick a step
    EXPECT_EQ(timing["speedup"], 1);
    EXPECT_NEAR(timing["clockResolution"].get<double>(), 1e-3, 1e-9);
    EXPECT_EQ(timing["promptLength"], 3);
}

TEST_F(Bench, WorkIsDroppedAndModelsStay) {
    open_all();
    bench.call("lab", {});
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(bench.call("advance", {{"milliseconds", 0}})["done"]);
    bench.call("drop", {});
    EXPECT_EQ(refusal("advance", {{"milliseconds", 0}}), "range no work was begun");
    EXPECT_EQ(work("answers", {{"temperature", 0.3}, {"seed", "0"}})["total"], 30);
    bench.call("lab", {});
    open_all();  // ends what looks at the models before
    EXPECT_EQ(refusal("advance", {{"milliseconds", 0}}), "range no work was begun");
    EXPECT_EQ(refusal("step", {}), "range no decode scene was started");
}

TEST_F(Bench, ImportsBothKindsOfTimings) {
    const auto import = [&](const std::string& text) {
        return bench.call("importTimings", {}, {{"file", {"t.json", as_bytes(text)}}});
    };
    const Json time = import(R"({"with_cache_s": 0.5, "without_cache_s": 5.0, "speedup": 10.0})");
    EXPECT_EQ(time["kind"], "time");
    EXPECT_EQ(time["time"]["speedup"], 10);
    const Json bench_json = import(
        R"({"machine": {"cpu": "C", "cores": 2, "instruction_set": "avx2", "threads": [1], "version": "1"},
            "results": [{"size": "lab", "what": "decode", "threads": 1, "median": 2.5, "min": 1, "max": 3,
                         "unit": "tokens/s", "share_of_limit": null}]})");
    EXPECT_EQ(bench_json["kind"], "bench");
    EXPECT_EQ(bench_json["machine"], "C, 2 cores, avx2");
    EXPECT_EQ(bench_json["results"][0]["median"], 2.5);
    // What an earlier version did not write: its weights were made up, its kernels the machine's.
    EXPECT_EQ(bench_json["madeUpWeights"], true);
    EXPECT_EQ(bench_json["results"][0]["kernels"], "avx2");
    for (const char* wrong : {"", "[]", "{}", R"({"results": 1})", R"({"machine": {}, "results": []})"}) {
        EXPECT_THROW(import(wrong), Error) << wrong;
    }
    // What no run can have measured is refused by name.
    const auto one = [](const char* size, const char* threads, const char* values) {
        return join(
            {R"({"machine": {"cpu": "C", "cores": 2, "instruction_set": "avx2"}, "results": [{"size": ")",
             size, R"(", "what": "decode", "threads": )", threads, ", ", values, R"(, "unit": "s"}]})"});
    };
    EXPECT_NO_THROW(import(one("lab", "1", R"("median": 2, "min": 2, "max": 2)")));
    const std::string long_name(201, 'x');
    const std::pair<std::string, const char*> impossible[] = {
        {one("lab", "1", R"("median": -1, "min": -2, "max": 1)"), "results[0].min"},
        {one("lab", "1", R"("median": 0, "min": 0, "max": 0)"), "results[0].min"},
        {one("lab", "1", R"("median": 1, "min": 1, "max": 1e300)"), "results[0].min"},
        {one("lab", "1", R"("median": 9, "min": 1, "max": 2)"), "results[0].median"},
        {one("lab", "1", R"("median": 1.5, "min": 2, "max": 1)"), "results[0].median"},
        {one("lab", "1.5", R"("median": 2, "min": 2, "max": 2)"), "results[0].threads"},
        {one(long_name.c_str(), "1", R"("median": 2, "min": 2, "max": 2)"), "results[0].size"},
    };
    for (const auto& [text, field] : impossible) {
        try {
            import(text);
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::format);
            EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace mm::page
