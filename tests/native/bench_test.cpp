// What `bench` reports and how it is written down. How fast anything is, no test says.
#include "native/bench/bench.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/model/kv_cache.hpp"
#include "core/model/model.hpp"
#include "native/bench/limits.hpp"
#include "native/bench/made_up_model.hpp"
#include "native/bench/work.hpp"

namespace mm {
namespace {

TEST(Spread, MedianOfOddAndEven) {
    const Spread odd = spread_of({3, 1, 2});
    EXPECT_EQ(odd.median, 2);
    EXPECT_EQ(odd.min, 1);
    EXPECT_EQ(odd.max, 3);
    EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
    EXPECT_EQ(spread_of({7}).median, 7);
}

TEST(Spread, UnsteadyFromAFifthOn) {
    EXPECT_FALSE((Spread{1, 1, 1}.unsteady()));
    EXPECT_FALSE((Spread{1, 1, 1.19}.unsteady()));
    EXPECT_TRUE((Spread{1.1, 1, 1.2}.unsteady()));
}

BenchReport small_report() {
    return {{"A processor", 2, "avx2", "1.2.3", {1, 2}},
            true,
            {{"lab", "multiply-add peak", 1, "avx2", {80, 79, 81}, "GFLOP/s", std::nullopt},
             {"lab", "decode after 201, float32", 2, "avx2", {12345.4, 12000, 15000}, "tokens/s", 0.75},
             {"minimind-3", "step 3 with cache, float32", 1, "sse2", {0.25, 0.25, 0.25}, "s", 0.5}}};
}

TEST(BenchJson, IsTheContract) {
    EXPECT_EQ(
        to_json(small_report()).dump(),
        R"({"machine":{"cpu":"A processor","cores":2,"instruction_set":"avx2","threads":[1,2],"version":"1.2.3"},)"
        R"("made_up_weights":true,)"
        R"("results":[{"size":"lab","what":"multiply-add peak","threads":1,"instruction_set":"avx2","median":80.0,)"
        R"("min":79.0,"max":81.0,"unit":"GFLOP/s","share_of_limit":null},)"
        R"({"size":"lab","what":"decode after 201, float32","threads":2,"instruction_set":"avx2","median":12345.4,)"
        R"("min":12000.0,"max":15000.0,"unit":"tokens/s","share_of_limit":0.75},)"
        R"({"size":"minimind-3","what":"step 3 with cache, float32","threads":1,"instruction_set":"sse2",)"
        R"("median":0.25,"min":0.25,"max":0.25,"unit":"s","share_of_limit":0.5}]})");
}

TEST(BenchText, TablesBySizeAndAWarning) {
    EXPECT_EQ(to_text(small_report(), 80),
              "A processor, 2 cores, avx2, mm-native 1.2.3\n"
              "\n"
              "  lab                        threads           median          min … max  of the limit\n"
              "  multiply-add peak                1       80 GFLOP/s            79 … 81\n"
              "  decode after 201, float32        2  12,345 tokens/s  12,000 … 15,000 ~          75 %\n"
              "\n"
              "  minimind-3                  threads  median  min … max  of the limit\n"
              "  step 3 with cache, float32        1  250 ms                     50 %\n"
              "\n"
              "  ~ a spread of a fifth or more: the machine was busy or changed its pace, and\n"
              "  the median is a rough number.\n");
    BenchReport steady = small_report();
    steady.results[1].value = {12000, 12000, 12001};
    EXPECT_EQ(to_text(steady, 80).find('~'), std::string::npos);
}

TEST(MadeUpCheckpoint, TypesHoldTheSameNumbers) {
    const ModelConfig& config = named_sizes().front().config;
    const auto pool = std::make_shared<ThreadPool>(1);
    const std::vector<TokenId> ids = {1, 500, 2047};
    std::vector<Matrix> logits(2);
    for (const DType dtype : {DType::f32, DType::f16}) {
        const MadeUpCheckpoint checkpoint(config, dtype);
        const Model model(checkpoint.table(), config, pool);
        EXPECT_EQ(model.weight_bytes() < 3'000'000, dtype == DType::f16);
        KvCache cache(config);
        Workspace workspace;
        model.forward({ids}, cache, LogitsFor::last, logits[dtype == DType::f16], workspace);
    }
    ASSERT_EQ(logits[0].size(), 2048U);
    EXPECT_TRUE(std::equal(logits[0].begin(), logits[0].end(), logits[1].begin()));
    EXPECT_NE(logits[0](0, 0), logits[0](0, 1));
}

TEST(NamedSizes, AreTheOnesOfTheName) {
    EXPECT_EQ(named_sizes()[0].name, "lab");
    EXPECT_EQ(named_sizes()[0].config.parameter_count(), 1'148'288U);
    EXPECT_EQ(named_sizes()[1].name, "minimind-3");
    EXPECT_EQ(named_sizes()[1].config.parameter_count(), 63'912'192U);
}

// Multiply-adds and bytes counted by hand for the lab size.
TEST(LeastSeconds, CountsTheWork) {
    const ModelConfig& config = named_sizes().front().config;
    const MadeUpCheckpoint checkpoint(config, DType::f32);
    const Model model(checkpoint.table(), config, std::make_shared<ThreadPool>(1));
    const double matrices = 4 * (2 * 128. * 128 + 2 * 64 * 128. + 3 * 448 * 128.);
    const double norms = 4 * (2 * 128. + 2 * 32) + 128;
    const double head = 2048 * 128.;
    const double attention = 2 * (11 + 12 + 13) * 4. * 128;  // keys seen by tokens 11, 12, 13
    // In the last layer, tokens 11 and 12 need keys and values only.
    const double spared = 2 * ((matrices + norms) / 4 - 2 * 64 * 128.) + 2 * (11 + 12) * 128.;
    const double flops = 2 * (3 * (matrices + norms) + head + attention - spared);
    EXPECT_DOUBLE_EQ(least_seconds(model, 10, 3, 1, 1e30), flops);
    const double bytes = static_cast<double>(model.weight_bytes()) + 13 * 2 * 4 * 2 * 32 * 4.;
    EXPECT_DOUBLE_EQ(least_seconds(model, 10, 3, 1e30, 1), bytes);
}

TEST(Work, FewStepsOfAnUncachedRunGiveTheSameTokens) {
    const ModelConfig& config = named_sizes().front().config;
    const MadeUpCheckpoint checkpoint(config, DType::f16);
    const Model model(checkpoint.table(), config, std::make_shared<ThreadPool>(1));
    CachedRun run = time_cached(model, work_clock(1));
    ASSERT_EQ(run.ids.size(), 64U);
    EXPECT_GT(run.prefill_seconds, 0);
    EXPECT_GT(run.seconds, run.prefill_seconds);
    EXPECT_GT(time_uncached(model, run.ids, 2, work_clock(1)), 0);
    EXPECT_GT(time_samples(model, work_clock(1)), 0);
    run.ids[16] = (run.ids[16] + 1) % 2048;  // the step that is timed first gives this one
    EXPECT_THROW(time_uncached(model, run.ids, 2, work_clock(1)), Error);
}

TEST(Work, DepthsHoldWhatTheFormulaSays) {
    const ModelConfig& config = named_sizes().front().config;
    const MadeUpCheckpoint checkpoint(config, DType::f16);
    const Model model(checkpoint.table(), config, std::make_shared<ThreadPool>(1));
    for (const std::int64_t depth : {std::int64_t{8}, std::int64_t{64}, std::int64_t{1000}}) {
        DepthProbe probe(model, depth);
        for (int again = 0; again < 2; ++again) {
            const DepthRun run = probe.time(work_clock(1));
            EXPECT_GT(run.seconds_per_token, 0);
            EXPECT_EQ(run.cache_bytes, config.kv_bytes(static_cast<std::uint64_t>(depth)));
        }
    }
}

TEST(Limits, ArePositive) {
    ThreadPool pool(2);
    EXPECT_GT(measure_multiply_adds(pool, work_clock(2)), 0);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 20}) {
        const ReadProbe probe(bytes);
        EXPECT_GT(probe.measure(pool, 1, work_clock(2)), 0);
        EXPECT_GT(probe.measure(pool, 4, work_clock(2)), 0);
    }
}

TEST(RunBench, RefusesWhatItCannotMeasure) {
    const auto message = [](BenchOptions options) -> std::string {
        try {
            run_bench(options);
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    };
    EXPECT_EQ(message({.sizes = {"lab", "large"}}), "--sizes: unknown size 'large' (known: lab, minimind-3)");
    EXPECT_EQ(message({.sizes = {"lab", "lab"}}), "--sizes: a value is given twice");
    EXPECT_EQ(message({.sizes = {}}), "--sizes: at least one is needed");
    EXPECT_EQ(message({.sizes = {"lab"}, .threads = {1, 1}}), "--threads: a value is given twice");
    EXPECT_EQ(message({.sizes = {"lab"}, .contexts = {7}}), "--contexts: must be from 8 to 32768");
}

TEST(RunBench, StopsWhenAsked) {
    BenchOptions options;
    options.sizes = {"lab"};
    options.stop = [] { return true; };
    try {
        run_bench(options);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    }
}

TEST(RunBench, MeasuresEverythingOnce) {
    BenchOptions options;
    options.sizes = {"lab"};
    options.threads = {2};
    options.contexts = {16};
    options.seconds = 0;
    options.rounds = 1;
    double last = -1;
    options.on_progress = [&](double fraction) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1);
        last = fraction;
    };
    const BenchReport report = run_bench(options);
    EXPECT_GE(last, 0);
    std::vector<std::string> what;
    for (const BenchResult& r : report.results) {
        EXPECT_EQ(r.size, "lab");
        EXPECT_EQ(r.threads, 2);
        EXPECT_LE(r.value.min, r.value.median);
        EXPECT_LE(r.value.median, r.value.max);
        EXPECT_GT(r.value.min, 0);
        what.push_back(r.what);
    }
    what.resize(what.size() / 2);  // float16 follows with the same
    EXPECT_EQ(what,
              (std::vector<std::string>{
                  "multiply-add peak", "read bandwidth, float32 weights", "prefill 201, float32",
                  "decode after 201, float32", "step 3 with cache, float32", "step 3 without cache, float32",
                  "30 samples of 24, float32", "decode at 16, float32", "KV cache at 16"}));
}

}  // namespace
}  // namespace mm
