// `generate` against MiniMind's own: greedy ids with and without the cache, what was fed, sampled rows, the
// random stream left behind.
#include <gtest/gtest.h>

#include "core/decode/distribution.hpp"
#include "core/decode/generate.hpp"
#include "tests/model/golden_case.hpp"

namespace mm {
namespace {

using test::GoldenCase;

class GoldenGreedy : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenGreedy, IdsAndTokensFed) {
    const GoldenCase golden(GetParam());
    const Json& greedy = golden.json["greedy"];
    const std::vector<TokenId> prompt = test::ids_of(golden.json["prompt"]);
    const auto count = greedy["max_new_tokens"].get<std::int64_t>();
    for (const int threads : {1, 2}) {
        const Model model = golden.model(threads);
        for (const bool use_cache : {true, false}) {
            const Json& expected = greedy[use_cache ? "cached" : "uncached"];
            const GenerateResult result =
                generate(model, prompt, GenerateOptions::lab_greedy(count, use_cache));
            ASSERT_EQ(result.rows.size(), 1U);
            EXPECT_EQ(result.rows[0], test::ids_of(expected["ids"]));
            EXPECT_EQ(result.tokens_fed, expected["tokens_fed"].get<std::uint64_t>());
            EXPECT_EQ(result.steps, count);
            EXPECT_EQ(result.rng_u32_consumed, 0U);
            const std::uint64_t held = prompt.size() + static_cast<std::uint64_t>(count) - 1;
            EXPECT_EQ(result.kv_bytes, use_cache ? model.config().kv_bytes(held) : 0);
        }
    }
}

TEST_P(GoldenGreedy, TopPSurvivors) {
    const GoldenCase golden(GetParam());
    const Model model = golden.model();
    const Json& top_p = golden.json["top_p"];
    for (const Json& prompt : top_p["prompts"]) {
        const std::vector<TokenId> ids = test::ids_of(prompt["ids"]);
        KvCache cache(model.config());
        Workspace workspace;
        Matrix logits;
        model.forward({ids}, cache, LogitsFor::last, logits, workspace);
        for (std::size_t j = 0; j < top_p["p"].size(); ++j) {
            EXPECT_EQ(top_p_survivors({logits.data(), logits.size()}, 1.0, top_p["p"][j]),
                      prompt["survivors"][j].get<std::size_t>())
                << "p = " << top_p["p"][j] << ", boundary gap " << prompt["boundary_gap"][j];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenGreedy, testing::ValuesIn(test::case_folders()), test::case_name);

class GoldenSampling : public testing::TestWithParam<std::filesystem::path> {};

GenerateOptions options_of(const Json& entry) {
    GenerateOptions options;
    options.max_new_tokens = entry["max_new_tokens"];
    options.num_return_sequences = entry["num_return_sequences"];
    options.seed = entry["seed"];
    if (entry["eos_token_id"].is_null()) {
        options.eos_token_id.reset();
    } else {
        options.eos_token_id = entry["eos_token_id"].get<TokenId>();
    }
    options.sampling = {.temperature = entry["temperature"],
                        .top_k = entry["top_k"],
                        .top_p = entry["top_p"],
                        .repetition_penalty = entry["repetition_penalty"],
                        .do_sample = entry["do_sample"]};
    return options;
}

TEST_P(GoldenSampling, RowsAndRandomStream) {
    const Json sampling = Json::parse(test::read_text(GetParam()));
    const GoldenCase golden(GetParam().parent_path().parent_path() / "cases" /
                            sampling["case"].get<std::string>());
    const Model model = golden.model();
    const std::vector<TokenId> prompt = test::ids_of(sampling["prompt"]);
    std::size_t close_calls = 0;
    std::size_t different = 0;
    for (std::size_t i = 0; i < sampling["entries"].size(); ++i) {
        const Json& entry = sampling["entries"][i];
        Session session(model, prompt, options_of(entry));
        while (!session.done()) session.step();
        const GenerateResult result = session.result();
        const auto expected = entry["rows"].get<std::vector<std::vector<TokenId>>>();
        ASSERT_EQ(result.rows.size(), expected.size());

        // Below these margins (goldens' README) a float32 implementation may decide otherwise.
        const double margin = entry["min_margin"].is_null() ? 1 : entry["min_margin"].get<double>();
        if (margin < (entry["temperature"].get<double>() < 0.5 ? 5e-4 : 1e-4)) {
            ++close_calls;
            different += result.rows != expected ? 1 : 0;
            if (result.rows != expected) continue;
        }
        ASSERT_EQ(result.rows, expected) << "entry " << i << ", margin " << margin;
        EXPECT_EQ(result.steps, entry["steps"].get<std::int64_t>());
        EXPECT_EQ(result.rng_u32_consumed, entry["rng_u32_consumed"].get<std::uint64_t>());
        TorchGenerator after = session.generator();
        EXPECT_EQ(after.randint(0, std::int64_t{1} << 31), entry["next_randint_0_2p31"].get<std::int64_t>());
    }
    RecordProperty("close_calls", static_cast<int>(close_calls));
    RecordProperty("close_calls_decided_otherwise", static_cast<int>(different));
    EXPECT_LE(close_calls * 4, sampling["entries"].size()) << "too few entries are beyond doubt";
}

std::vector<std::filesystem::path> sampling_files() {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& root : {test::kGolden, test::kFullGolden}) {
        if (!std::filesystem::exists(root / "sampling")) continue;
        for (const auto& entry : std::filesystem::directory_iterator(root / "sampling")) {
            const bool again =
                std::any_of(files.begin(), files.end(), [&](const std::filesystem::path& file) {
                    return file.filename() == entry.path().filename();
                });
            if (!again) files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenSampling, testing::ValuesIn(sampling_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace mm
