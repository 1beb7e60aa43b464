// The shipped demo model against what MiniMind's own PyTorch code gives for the same files
// (tests/golden/demo).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/decode/generate.hpp"
#include "core/text/chat.hpp"
#include "golden_lab.hpp"

namespace mm {
namespace {

constexpr float kTolerance = 2e-4F;

const std::filesystem::path kDemo = std::filesystem::path(MM_SOURCE_DIR) / "web" / "models" / "demo";
const std::filesystem::path kGolden = std::filesystem::path(MM_SOURCE_DIR) / "tests" / "golden" / "demo";

std::vector<float> floats(const std::string& file) {
    const std::string bytes = test::read_text(kGolden / file);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

std::vector<float> last_logits(const Model& model, const std::vector<TokenId>& ids) {
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    model.forward(ids, cache, LogitsFor::last, logits, workspace);
    return {logits.begin(), logits.end()};
}

void expect_near(const std::vector<float>& found, const float* expected) {
    float worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
    EXPECT_LE(worst, kTolerance);
}

struct Demo : testing::Test {
    Model pretrain = test::load_model(kDemo / "pretrain.pth", 1);
    Model sft = test::load_model(kDemo / "sft.pth", 1);
    Tokenizer tokenizer = Tokenizer::from_json(test::read_text(kDemo / "tokenizer.json"), "tokenizer.json");
    Json expected = Json::parse(test::read_text(kGolden / "demo.json"));

    std::vector<TokenId> ids(const Json& list) const { return list.get<std::vector<TokenId>>(); }
};

TEST_F(Demo, Logits) {
    const std::vector<float> golden = floats("pretrain_logits.bin");
    const auto vocab = static_cast<std::size_t>(pretrain.config().vocab_size);
    ASSERT_EQ(golden.size(), 3 * vocab);
    expect_near(last_logits(pretrain, ids(expected["same"]["prompt"])), golden.data());
    expect_near(last_logits(pretrain, ids(expected["topp"][0]["ids"])), golden.data() + vocab);
    expect_near(last_logits(pretrain, ids(expected["topp"][1]["ids"])), golden.data() + 2 * vocab);
    const std::vector<float> chat = floats("sft_logits.bin");
    ASSERT_EQ(chat.size(), vocab);
    expect_near(last_logits(sft, ids(expected["chat"]["prompt"])), chat.data());
}

TEST_F(Demo, TheLabsSteps) {
    LabContext context;
    context.pretrain = &pretrain;
    context.sft = &sft;
    context.tokenizer = context.sft_tokenizer = &tokenizer;
    context.documents =
        read_documents(test::read_text(kDemo / "pretrain_val.jsonl"), "pretrain_val.jsonl", kLabDocuments);
    context.clock_seconds = [] { return 0.0; };
    const LabResults results = run_lab(context, {"same", "count", "kvbytes", "temp", "topp"});
    EXPECT_EQ(results.get<GreedyPairResult>().ids_with_cache, ids(expected["same"]["ids"]));
    EXPECT_TRUE(results.get<GreedyPairResult>().same_ids());
    EXPECT_EQ(results.get<GreedyPairResult>().fed_with_cache, expected["count"]["fed_with_cache"]);
    EXPECT_EQ(results.get<GreedyPairResult>().fed_without_cache, expected["count"]["fed_without_cache"]);
    EXPECT_EQ(results.get<KvBytesResult>().measured_bytes, expected["kvbytes"]["measured_bytes"]);
    EXPECT_EQ(Json(results.get<KvBytesResult>().k_shape), expected["kvbytes"]["k_shape"]);
    const auto text = [&results](const char* file) {
        for (const Artifact& artifact : artifacts(results)) {
            if (artifact.name == file) return Json::parse(artifact.text);
        }
        return Json();
    };
    EXPECT_EQ(text("topp.json"), expected["topp"][0]["survivors"]);
    const Json temperatures = text("temp.json");
    ASSERT_EQ(temperatures.size(), 3U);
    for (const auto& [temperature, row] : expected["temp"].items()) {
        EXPECT_EQ(temperatures[temperature]["distinct"], row["distinct"]) << temperature;
    }
}

TEST_F(Demo, EveryDrawnToken) {
    const std::string question = expected["chat"]["question"];
    const std::vector<TokenId> prompt = tokenizer.encode(chat_text("chatml", question), false);
    EXPECT_EQ(prompt, ids(expected["chat"]["prompt"]));
    for (const auto& [temperature, golden] : expected["temp"].items()) {
        GenerateOptions options;
        options.max_new_tokens = 24;
        options.num_return_sequences = 30;
        options.sampling.temperature = std::stod(temperature);
        options.sampling.top_k = 0;
        options.sampling.top_p = 1.0;
        EXPECT_EQ(Json(generate(sft, prompt, options).rows), golden["rows"]) << temperature;
    }
}

}  // namespace
}  // namespace mm
