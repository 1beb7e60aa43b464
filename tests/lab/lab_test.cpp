// The whole lab on the golden models, against what MiniMind's own generate gives; progress, cancelling,
// selection and what is missing.
#include "core/lab/lab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/base/json.hpp"
#include "core/lab/json_text.hpp"
#include "golden_lab.hpp"

namespace mm::test {
namespace {

TEST(Lab, ArtifactsAreMiniMindsByteForByte) {
    GoldenLab lab;
    const std::vector<Artifact> files = artifacts(run_lab(lab.context));
    ASSERT_EQ(files.size(), lab_table().size());
    std::map<std::string, std::string> texts;
    for (const Artifact& file : files) texts[file.name] = file.text;
    const Json& expected = lab.expected["artifacts"];
    EXPECT_GE(expected.size(), 5u);
    for (const auto& [name, text] : expected.items()) EXPECT_EQ(texts[name], text) << name;
    const std::string& report = texts["report.md"];
    const Json time = parse_json(texts["time.json"], "time.json");
    const std::string speedup = texts["time.json"].substr(texts["time.json"].rfind(' ') + 1);
    EXPECT_NE(report.find("| " + speedup.substr(0, speedup.find('}')) + " |"), std::string::npos);
    EXPECT_EQ(time["speedup"].get<double>(),
              time["without_cache_s"].get<double>() / time["with_cache_s"].get<double>());
}

TEST(Lab, ResultsDoNotDependOnThreads) {
    GoldenLab one;
    GoldenLab three(3);
    for (const char* step : {"same", "temp", "topp"}) {
        EXPECT_EQ(artifacts(run_lab(one.context, {step}))[0].text,
                  artifacts(run_lab(three.context, {step}))[0].text);
    }
}

TEST(Lab, EveryAnswerIsMiniMinds) {
    GoldenLab lab;
    const TemperatureResult result = run_temperature(lab.context);
    ASSERT_EQ(result.rows.size(), 3u);
    for (const TemperatureRow& row : result.rows) {
        std::map<std::string, std::size_t> expected;
        const std::string key = row.temperature == 0.3 ? "0.3" : row.temperature == 1.0 ? "1.0" : "1.5";
        for (const auto& text : lab.expected["answers"][key]) ++expected[text.get<std::string>()];
        std::map<std::string, std::size_t> found;
        for (const AnswerGroup& group : row.answers) {
            found[group.text] = group.count;
            EXPECT_EQ(group.broken, group.text.find("\xEF\xBF\xBD") != std::string::npos);
        }
        EXPECT_EQ(found, expected) << key;
        EXPECT_TRUE(std::is_sorted(row.answers.begin(), row.answers.end(),
                                   [](const auto& a, const auto& b) { return a.count > b.count; }));
    }
    EXPECT_GT(result.rows[2].broken(), 0u);
}

TEST(Lab, SharpPositionAndItsLikeliestTokens) {
    GoldenLab lab;
    const TopPResult result = run_top_p(lab.context);
    for (const TopPSurvivors& kept : result.sharp.survivors) {
        EXPECT_EQ(kept.count, lab.expected["sharp"][number_text(kept.p)].get<std::size_t>());
    }
    ASSERT_EQ(result.broad.top.size(), 5u);
    double sum = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_GT(result.broad.top[i].probability, 0);
        sum += result.broad.top[i].probability;
    }
    EXPECT_TRUE(std::is_sorted(result.broad.top.begin(), result.broad.top.end(),
                               [](const auto& a, const auto& b) { return a.probability > b.probability; }));
    EXPECT_LE(sum, 1.0 + 1e-6);
}

TEST(Lab, CacheBytesAreMeasuredOnTheBuffers) {
    GoldenLab lab;
    const KvBytesResult result = run_kv_bytes(lab.context);
    EXPECT_EQ(result.measured_bytes, result.formula_bytes());
    EXPECT_EQ(result.measured_bytes, lab.pretrain.config().kv_bytes(100));
    EXPECT_GE(result.reserved_bytes, result.measured_bytes);
}

TEST(Lab, AnyPromptCountsByTheFormulas) {
    GoldenLab lab;
    for (const std::size_t length : {1u, 2u, 15u, 16u, 17u}) {
        std::vector<TokenId> prompt(length, 5);
        const GreedyPairResult pair = run_greedy_pair(lab.context, prompt);
        EXPECT_TRUE(pair.same_ids()) << length;
        EXPECT_EQ(pair.fed_with_cache, pair.formula_with_cache()) << length;
        EXPECT_EQ(pair.fed_without_cache, pair.formula_without_cache()) << length;
    }
}

TEST(Lab, PromptTakesSixDocumentsAndTwoHundredIds) {
    GoldenLab lab;
    const std::vector<TokenId> whole = lab_prompt(lab.context);
    EXPECT_EQ(whole.size(), 201u);
    EXPECT_EQ(whole[0], 1);
    lab.context.documents.push_back("더 있어도 쓰이지 않는다");
    EXPECT_EQ(lab_prompt(lab.context), whole);

    lab.context.documents = {"민수는", "", "감"};  // joined by one space each
    std::vector<TokenId> ids = lab.tokenizer.encode("민수는  감", false);
    ids.insert(ids.begin(), 1);
    EXPECT_EQ(lab_prompt(lab.context), ids);
    const std::vector<Artifact> same = artifacts(run_lab(lab.context, {"same"}));
    EXPECT_NE(same[0].text.find("{\"prompt_len\": " + std::to_string(ids.size()) + ", "), std::string::npos);

    for (const std::vector<std::string>& nothing :
         {std::vector<std::string>{}, std::vector<std::string>{""}}) {
        lab.context.documents = nothing;
        EXPECT_THROW(lab_prompt(lab.context), Error);
    }
}

TEST(Lab, WithTimesFromElsewhereNothingIsTimedAndTheFilesAreTheSame) {
    GoldenLab lab;
    const LabResults measured = run_lab(lab.context);
    std::string time_file;
    for (const Artifact& file : artifacts(measured)) {
        if (file.name == "time.json") time_file = file.text;
    }
    GoldenLab without_clock;
    without_clock.context.clock_seconds = nullptr;
    const LabResults given = run_lab(without_clock.context, {}, read_time_json(time_file, "time.json"));
    EXPECT_EQ(given.find<TimingResult>(), nullptr);
    const std::vector<Artifact> files = artifacts(given);
    const std::vector<Artifact> expected = artifacts(measured);
    ASSERT_EQ(files.size(), expected.size());
    for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(files[i].text, expected[i].text);
}

TEST(Lab, RunsOnlyWhatIsAskedForInItsOwnOrder) {
    GoldenLab lab;
    lab.context.sft = nullptr;
    const LabResults results = run_lab(lab.context, {"topp", "count", "topp"});
    EXPECT_EQ(results.steps, (std::vector<std::string_view>{"count", "topp"}));
    EXPECT_TRUE(results.find<GreedyPairResult>() && results.find<TopPResult>());
    EXPECT_FALSE(results.find<TimingResult>() || results.find<KvBytesResult>() ||
                 results.find<TemperatureResult>());
    try {
        run_lab(lab.context, {"same", "temperature"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::range);
        EXPECT_NE(std::string(error.what()).find("'temperature'"), std::string::npos);
        EXPECT_NE(error.hint().find("kvbytes, temp, topp, report"), std::string::npos);
    }
    try {
        run_lab(lab.context, {"temp"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("SFT model"), std::string::npos);
    }
}

// With what its row says it needs and nothing else.
TEST(Lab, EveryStepRunsAlone) {
    const std::vector<Artifact> all = artifacts(run_lab(GoldenLab().context));
    for (std::size_t i = 0; i < lab_table().size(); ++i) {
        const LabStep& row = lab_table()[i];
        const LabNeeds needs = lab_needs({std::string(row.name)});
        GoldenLab lab;
        if (!needs.pretrain) lab.context.pretrain = nullptr;
        if (!needs.sft) lab.context.sft = nullptr;
        if (!needs.documents) lab.context.documents.clear();
        if (!needs.tokenizer || !needs.pretrain) lab.context.tokenizer = nullptr;
        const std::vector<Artifact> files = artifacts(run_lab(lab.context, {std::string(row.name)}));
        ASSERT_EQ(files.size(), 1u) << row.name;
        EXPECT_EQ(files[0].name, row.file);
        const bool timed = row.name == "time" || row.needs_all;  // the clock counts what was read before
        if (!timed) {
            EXPECT_EQ(files[0].text, all[i].text) << row.name;
        }
        EXPECT_FALSE(files[0].text.empty()) << row.name;
    }
}

TEST(Lab, ProgressNeverGoesBackAndEndsAtOne) {
    GoldenLab lab;
    std::map<std::string, double> last;
    std::map<std::string, int> calls;
    double largest_jump = 0;
    lab.context.on_progress = [&](const LabProgress& progress) {
        const std::string step(progress.step);
        if (calls[step]++ > 0) {
            EXPECT_GE(progress.fraction, last[step]) << step;
            if (step == "same" || step == "time") {
                largest_jump = std::max(largest_jump, progress.fraction - last[step]);
            }
        }
        EXPECT_LE(progress.fraction, 1.0 + 1e-12) << step;
        last[step] = progress.fraction;
    };
    run_lab(lab.context);
    for (const LabStep& row : lab_table()) {
        if (row.work == nullptr) continue;
        const std::string step(row.name);
        EXPECT_GT(calls[step], 0) << step;
        EXPECT_DOUBLE_EQ(last[step], 1.0) << step;
    }
    EXPECT_LT(largest_jump, 0.03);  // the run without cache feeds some 250 of 14880 tokens a step
}

TEST(Lab, StopsBetweenTokens) {
    for (const char* step : {"same", "time", "temp"}) {
        GoldenLab lab;
        int asked = 0;
        lab.context.cancelled = [&] { return ++asked > 10; };
        try {
            run_lab(lab.context, {step});
            FAIL() << step;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::cancelled) << step;
        }
        EXPECT_EQ(asked, 11) << step;
    }
}

// A clock that only moves by what the runs read: progress in between must not be counted.
TEST(Timing, LeavesOutTheWarmUpAndTheTellingOfProgress) {
    GoldenLab lab;
    const std::vector<TokenId> prompt = {1, 5, 6};
    double now = 0;
    int told = 0;
    lab.context.clock_seconds = [&] { return now += 1e-3; };
    lab.context.on_progress = [&](const LabProgress&) {
        ++told;
        now += 100;  // a very slow page
    };
    const TimingResult timing = run_timing(lab.context, prompt, true);
    EXPECT_GT(told, 8);
    for (const auto& runs : {timing.with_cache, timing.without_cache}) {
        for (const TimedRun& run : runs) {
            EXPECT_LT(run.seconds, 1.0);
            EXPECT_GT(run.seconds, 0);
            EXPECT_GT(run.first_step_seconds, 0);
            EXPECT_LT(run.first_step_seconds, run.seconds);
        }
    }
}

// A page rests between two steps for as long as it likes.
TEST(Timing, LeavesOutTheRestsBetweenSteps) {
    GoldenLab lab;
    double now = 0;
    lab.context.clock_seconds = [&] { return now += 1e-3; };
    Steps<TimingResult> steps = timing_in_steps(lab.context, {1, 5, 6}, false);
    int rests = 0;
    while (steps.advance()) {
        ++rests;
        now += 100;
    }
    EXPECT_EQ(rests, 6 * kLabNewTokens);
    const TimingResult timing = steps.result();
    // Two readings a step, one of which a millisecond passes before.
    EXPECT_NEAR(timing.with_cache[2].seconds, 1e-3 * static_cast<double>(kLabNewTokens), 1e-9);
    EXPECT_NEAR(timing.without_cache[0].first_step_seconds, 1e-3, 1e-9);
}

TEST(Lab, InStepsItRestsAtEveryTokenAndGivesTheSameFiles) {
    GoldenLab lab;
    const TimingSummary times{.with_cache_s = 1, .without_cache_s = 2, .speedup = 2};
    Steps<LabResults> steps = lab_in_steps(lab.context, {}, times);
    std::int64_t rests = 0;
    while (steps.advance()) ++rests;
    EXPECT_GE(rests, 2 * kLabNewTokens + 3);
    const std::vector<Artifact> in_steps = artifacts(steps.result());
    const std::vector<Artifact> at_once = artifacts(run_lab(lab.context, {}, times));
    ASSERT_EQ(in_steps.size(), at_once.size());
    for (std::size_t i = 0; i < at_once.size(); ++i) EXPECT_EQ(in_steps[i].text, at_once[i].text);
}

TEST(Lab, TheSeedOfAnswersCounts) {
    GoldenLab lab;
    const auto texts = [&](std::uint64_t seed) {
        const TemperatureRow row = run(answers_in_steps(lab.context, std::string(kLabQuestion), 1.0, seed));
        std::string all;
        for (const AnswerGroup& group : row.answers) all += group.text + "|";
        return all;
    };
    EXPECT_EQ(texts(0), texts(0));
    EXPECT_NE(texts(0), texts(1));
}

TEST(Timing, AClockThatStandsStillIsAnError) {
    GoldenLab lab;
    lab.context.clock_seconds = [] { return 5.0; };
    EXPECT_THROW(run_timing(lab.context, std::vector<TokenId>{1, 2}, false), Error);
    lab.context.clock_seconds = nullptr;
    EXPECT_THROW(run_timing(lab.context, std::vector<TokenId>{1, 2}, false), Error);
}

}  // namespace
}  // namespace mm::test
