// The same bits on every target: a hash of the logits of every position, of every golden model and of the
// demo, committed (tests/golden/bits/logits.json) and compared here natively, with each instruction set the
// machine has, and under Node. What the numbers must be is tests/model's and tests/lab's question; here it is
// only that they are the same everywhere.
//
// MM_WRITE_BITS=1 in the environment writes the list anew, after an intended change of the arithmetic.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/decode/generate.hpp"
#include "core/model/weights.hpp"
#include "core/tensor/instruction_set.hpp"
#include "tests/model/golden_case.hpp"

namespace mm {
namespace {

const std::filesystem::path kRoot = MM_SOURCE_DIR;
const std::filesystem::path kList = kRoot / "tests" / "golden" / "bits" / "logits.json";

/// FNV-1a, 64 bits, as 16 hexadecimal digits.
std::string hash_of(const void* data, std::size_t size) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (std::size_t i = 0; i < size; ++i) {
        hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3u;
    }
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
    return text;
}

/// A hash a position, and one of 4 rows of 12 tokens drawn at temperature 1 after the prompt.
Json bits_of(const Model& model, const std::vector<TokenId>& ids) {
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    model.forward(ids, cache, LogitsFor::all, logits, workspace);
    Json positions = Json::array();
    const auto width = static_cast<std::size_t>(model.config().vocab_size);
    for (std::size_t t = 0; t < ids.size(); ++t) {
        positions.push_back(hash_of(logits.data() + t * width, width * sizeof(float)));
    }
    GenerateOptions options;
    options.max_new_tokens = 12;
    options.num_return_sequences = 4;
    options.sampling.temperature = 1;
    options.sampling.top_k = 0;
    options.sampling.top_p = 0.95;
    options.seed = 0x1234567890ABCDEF;
    std::string rows;
    for (const auto& row : generate(model, ids, options).rows) {
        for (const TokenId id : row) rows += std::to_string(id) + " ";
    }
    return {{"logits", positions}, {"rows", hash_of(rows.data(), rows.size())}};
}

/// Every model of the repository, by name, with the ids it is fed.
template <typename Use>
void for_each_model(Keep keep, Use&& use) {
    const auto pool = std::make_shared<ThreadPool>(1);
    for (const auto& entry : std::filesystem::directory_iterator(test::kGolden / "cases")) {
        const test::GoldenCase golden(entry.path());
        use(entry.path().filename().string(), Model(golden.table(), golden.config(), pool, {.keep = keep}),
            test::ids_of(golden.json["prompt"]));
    }
    const Json demo = Json::parse(test::read_text(kRoot / "tests" / "golden" / "demo" / "demo.json"));
    for (const std::string role : {"pretrain", "sft"}) {
        const std::string bytes = test::read_text(kRoot / "web" / "models" / "demo" / (role + ".pth"));
        const TensorTable table = read_checkpoint(as_bytes(bytes), role);
        use("demo_" + role,
            Model(table, ModelConfig::from_checkpoint(table, nullptr, "", {}), pool, {.keep = keep}),
            test::ids_of(role == "sft" ? demo["chat"]["prompt"] : demo["same"]["prompt"]));
    }
}

void expect_committed_bits(Keep keep) {
    const Json list = Json::parse(test::read_text(kList));
    std::size_t models = 0;
    std::size_t positions = 0;
    for_each_model(keep, [&](const std::string& name, const Model& model, const std::vector<TokenId>& ids) {
        ASSERT_TRUE(list.contains(name)) << name;
        const Json found = bits_of(model, ids);
        EXPECT_EQ(found["logits"], list[name]["logits"]) << name;
        EXPECT_EQ(found["rows"], list[name]["rows"]) << name;
        ++models;
        positions += ids.size();
    });
    EXPECT_EQ(models, list.size());
    EXPECT_GT(positions, 400u);
}

TEST(SameBits, OnThisTargetWithEveryInstructionSet) {
    if (std::getenv("MM_WRITE_BITS") != nullptr) {
        Json list = Json::object();
        for_each_model(Keep::type, [&](const std::string& name, const Model& model, const auto& ids) {
            list[name] = bits_of(model, ids);
        });
        std::ofstream(kList) << list.dump(1) << "\n";
    }
    const InstructionSet before = instruction_set();
    for (const InstructionSet set : available_instruction_sets()) {
        SCOPED_TRACE(std::string(to_string(set)));
        set_instruction_set(set);
        expect_committed_bits(Keep::type);
    }
    set_instruction_set(before);
}

TEST(SameBits, WithSixteenBitWeightsHeldAsFloat32) {
    expect_committed_bits(Keep::float32);
}

}  // namespace
}  // namespace mm
