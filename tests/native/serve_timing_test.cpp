// What the page gets from the live measurement is a bench.json as the core reads it.
#include <gtest/gtest.h>

#include "core/lab/bench_file.hpp"
#include "core/lab/json_text.hpp"
#include "native/serve/live_timing.hpp"

namespace mm {
namespace {

TEST(LiveTiming, IsABenchJson) {
    TimingResult timing;
    timing.with_cache = {TimedRun{0.03, 0.01}, TimedRun{0.02, 0.008}, TimedRun{0.04, 0.012}};
    timing.without_cache = {TimedRun{1.5, 0.01}, TimedRun{1.0, 0.01}, TimedRun{2.0, 0.01}};
    BenchReport report{{"A processor", 2, "avx512", "1.2.3", {2}}, false, {}};
    add_live_timing(report, {.threads = 2, .dtype = "float16", .instruction_set = "avx2"}, timing, 201, 64);
    const std::string text = json_text(to_json(report));
    ASSERT_TRUE(looks_like_bench_json(text));
    const BenchFile bench = read_bench_json(text, "live");
    EXPECT_EQ(bench.machine, "A processor, 2 cores, avx512");
    EXPECT_FALSE(bench.made_up_weights);
    ASSERT_EQ(bench.results.size(), 4U);
    EXPECT_EQ(bench.results[0].what, "prefill 201, float16");
    EXPECT_EQ(bench.results[0].median, 201 / 0.01);
    EXPECT_EQ(bench.results[1].what, "decode after 201, float16");
    EXPECT_EQ(bench.results[1].median, 63 / (0.03 - 0.01));
    EXPECT_EQ(bench.results[2].what, "step 3 with cache, float16");
    EXPECT_EQ(bench.results[2].min, 0.02);
    EXPECT_EQ(bench.results[2].median, 0.03);
    EXPECT_EQ(bench.results[2].max, 0.04);
    EXPECT_EQ(bench.results[3].what, "step 3 without cache, float16");
    EXPECT_EQ(bench.results[3].median, 1.5);
    for (const auto& row : bench.results) {
        EXPECT_EQ(row.size, "demo");
        EXPECT_EQ(row.threads, 2);
        EXPECT_EQ(row.instruction_set, "avx2");
    }
}

}  // namespace
}  // namespace mm
