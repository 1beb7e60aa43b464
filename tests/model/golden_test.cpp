// The forward pass against MiniMind's own results: logits, cache bytes and shape, rotary frequencies.
#include <gtest/gtest.h>

#include <map>

#include "core/model/rope.hpp"
#include "tests/model/golden_case.hpp"

namespace mm {
namespace {

using test::GoldenCase;

// The largest distance of the goldens' own float32 logits from a float64 computation is 7.3e-5.
constexpr double kTolerance = 1e-4;

class Golden : public testing::TestWithParam<std::filesystem::path> {
  protected:
    GoldenCase golden{GetParam()};
};

TEST_P(Golden, LogitsOfEveryPromptPosition) {
    const Model model = golden.model();
    const std::vector<TokenId> prompt = test::ids_of(golden.json["prompt"]);
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    model.forward({prompt}, cache, LogitsFor::all, logits, workspace);
    const std::vector<float> expected = golden.floats(golden.json["logits"]["file"]);
    ASSERT_EQ(logits.size(), expected.size());
    const double difference = test::largest_difference(expected, logits.data());
    RecordProperty("largest_logit_difference", std::to_string(difference));
    EXPECT_LE(difference, kTolerance);
    EXPECT_EQ(workspace.tokens_fed(), prompt.size());
    EXPECT_TRUE(model.ignored_tensors().empty());
}

TEST_P(Golden, LastLogitsOfTopPPrompts) {
    const Model model = golden.model();
    const Json& top_p = golden.json["top_p"];
    const std::vector<float> expected = golden.floats(top_p["logits_file"]);
    const auto vocabulary = static_cast<std::size_t>(model.config().vocab_size);
    ASSERT_EQ(expected.size(), top_p["prompts"].size() * vocabulary);
    Workspace workspace;
    Matrix logits;
    for (std::size_t i = 0; i < top_p["prompts"].size(); ++i) {
        const std::vector<TokenId> ids = test::ids_of(top_p["prompts"][i]["ids"]);
        KvCache cache(model.config());
        model.forward({ids}, cache, LogitsFor::last, logits, workspace);
        ASSERT_EQ(logits.size(), vocabulary);
        const std::vector<float> row(expected.begin() + static_cast<std::ptrdiff_t>(i * vocabulary),
                                     expected.begin() + static_cast<std::ptrdiff_t>((i + 1) * vocabulary));
        EXPECT_LE(test::largest_difference(row, logits.data()), kTolerance);
    }
}

TEST_P(Golden, CacheHoldsWhatItShould) {
    const Model model = golden.model();
    const Json& expected = golden.json["kv_cache"];
    const std::vector<TokenId> ids = test::ids_of(expected["ids"]);
    KvCache cache(model.config());
    Workspace workspace;
    Matrix untouched;
    model.forward({ids}, cache, LogitsFor::none, untouched, workspace);
    EXPECT_EQ(untouched.size(), 0U);
    EXPECT_EQ(cache.length(), expected["tokens"].get<std::size_t>());
    EXPECT_EQ(cache.bytes_used(), expected["bytes_float32"].get<std::uint64_t>());
    EXPECT_EQ(model.config().kv_bytes(cache.length()), expected["bytes_float32"].get<std::uint64_t>());
    const auto shape = cache.k_shape();
    EXPECT_EQ((std::vector<std::int64_t>(shape.begin(), shape.end())),
              expected["layer0_k_shape"].get<std::vector<std::int64_t>>());
}

TEST_P(Golden, RotaryFrequenciesToTheBit) {
    const std::vector<float> found = rope_frequencies(golden.config());
    const auto expected = golden.json["rope_inv_freq_f32"].get<std::vector<double>>();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<float>(expected[i])) << i;
}

TEST_P(Golden, ConfigIsReadFromShapes) {
    const Json& said = golden.json["config"];
    const ModelConfig c = golden.config();
    for (const auto& [field, value] : std::map<std::string, std::int64_t>{
             {"vocab_size", c.vocab_size},
             {"hidden_size", c.hidden_size},
             {"num_hidden_layers", c.num_hidden_layers},
             {"num_attention_heads", c.num_attention_heads},
             {"num_key_value_heads", c.num_key_value_heads},
             {said.contains("moe_intermediate_size") && c.use_moe ? "moe_intermediate_size"
                                                                  : "intermediate_size",
              c.intermediate_size},
             {"max_position_embeddings", c.max_position_embeddings}}) {
        EXPECT_EQ(said.at(field).get<std::int64_t>(), value) << field;
    }
    EXPECT_EQ(said["use_moe"].get<bool>(), c.use_moe);
    EXPECT_EQ(said["rms_norm_eps"].get<double>(), c.rms_norm_eps);
    EXPECT_EQ(golden.json["arch"], c.qk_norm ? "minimind3" : "minimind2");
    EXPECT_EQ(said.value("tie_word_embeddings", true), c.tie_word_embeddings);
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(test::case_folders()), test::case_name);

// The full set has more checkpoints than the repository keeps; say so when it is not there.
TEST(FullGoldenSet, IsBesideTheSourceTree) {
    if (!std::filesystem::exists(test::kFullGolden)) GTEST_SKIP() << "no " << test::kFullGolden.string();
    EXPECT_GT(test::case_folders().size(), 10U);
}

}  // namespace
}  // namespace mm
