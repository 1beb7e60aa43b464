// Models that transformers wrote, against what transformers computes: whose defaults hold, both spellings of
// rotary embedding, shards, fused experts.
#include <gtest/gtest.h>

#include "core/checkpoint/shards.hpp"
#include "tests/model/golden_case.hpp"

namespace mm {
namespace {

const std::filesystem::path kFolder = test::kGolden.parent_path() / "hf";

struct HfCase {
    const char* folder;
    const char* config;
};

void PrintTo(const HfCase& c, std::ostream* out) {
    *out << c.folder << "/" << c.config;
}

class HuggingFace : public testing::TestWithParam<HfCase> {
  protected:
    std::filesystem::path folder = kFolder / GetParam().folder;
    std::vector<std::string> bytes;  // of the files; tables view them

    TensorTable table() {
        const std::filesystem::path index = folder / "model.safetensors.index.json";
        if (!std::filesystem::exists(index)) {
            const bool torch = std::filesystem::exists(folder / "model.pth");
            const char* name = torch ? "model.pth" : "model.safetensors";
            bytes.push_back(test::read_text(folder / name));
            return read_checkpoint(as_bytes(bytes.back()), name);
        }
        const ShardIndex shards = read_shard_index(test::read_text(index), "index.json");
        for (const std::string& name : shards.shards()) bytes.push_back(test::read_text(folder / name));
        std::vector<TensorTable> tables;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            tables.push_back(read_shard(as_bytes(bytes[i]), shards.shards()[i]));
        }
        return join_shards(shards, tables);
    }
};

TEST_P(HuggingFace, LogitsAndGreedyIds) {
    const TensorTable tensors = table();
    const Json said = Json::parse(test::read_text(folder / GetParam().config));
    const ModelConfig config = ModelConfig::from_checkpoint(tensors, &said, "config.json", {});
    const Model model(tensors, config, std::make_shared<ThreadPool>(1));
    EXPECT_TRUE(model.ignored_tensors().empty());

    const Json expected = Json::parse(test::read_text(folder / "expected.json"));
    std::vector<TokenId> ids = test::ids_of(expected["ids"]);
    KvCache cache(config);
    Workspace workspace;
    Matrix logits;
    model.forward({ids}, cache, LogitsFor::all, logits, workspace);
    const std::vector<float> right = test::read_floats(folder / "logits.bin");
    ASSERT_EQ(logits.size(), right.size());
    EXPECT_LE(test::largest_difference(right, logits.data()), 1e-4);

    std::vector<TokenId> greedy;
    const std::size_t vocabulary = logits.shape(1);
    const float* last = logits.data() + logits.size() - vocabulary;
    for (std::size_t i = 0; i < expected["greedy"].size(); ++i) {
        greedy.push_back(static_cast<TokenId>(std::max_element(last, last + vocabulary) - last));
        const std::vector<TokenId> next = {greedy.back()};
        model.forward({next}, cache, LogitsFor::last, logits, workspace);
        last = logits.data();
    }
    EXPECT_EQ(greedy, test::ids_of(expected["greedy"]));
}

INSTANTIATE_TEST_SUITE_P(Transformers, HuggingFace,
                         testing::Values(HfCase{"qwen3_yarn_no_attention_factor", "config.json"},
                                         HfCase{"qwen3_yarn_no_attention_factor", "config_v4.json"},
                                         HfCase{"llama_no_theta", "config.json"},
                                         HfCase{"llama_no_theta", "config_v4.json"},
                                         HfCase{"qwen3_moe_fused", "config.json"},
                                         HfCase{"qwen3_sharded", "config.json"}));

}  // namespace
}  // namespace mm
