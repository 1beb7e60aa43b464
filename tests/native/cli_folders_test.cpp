// What people name as a model: Hugging Face folders, indexes, single shards; and models whose numbers do not
// come out, through every command.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/json.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

const std::string kHf = source_file("tests/golden/hf");
const std::string kIndex = "model.safetensors.index.json";

/// A copy that may be changed.
void copy_model(const std::string& name, const TemporaryFolder& to) {
    for (const auto& entry : fs::directory_iterator(kHf + "/" + name)) {
        fs::copy_file(entry.path(), to.path() / entry.path().filename());
    }
}

ProgramResult inspect(const std::string& model) {
    return run_program({"inspect", "--json", "--model", model});
}

TEST(Folders, AreModels) {
    const TemporaryFolder work;
    const std::string out = work / "logits.bin";
    for (const std::string name : {"qwen3_sharded", "qwen3_moe_fused", "llama_no_theta"}) {
        const std::string folder = kHf + "/" + name;
        const Json expected = parse_json(read_text(folder + "/expected.json"), "expected.json");
        std::string ids;
        for (const Json& id : expected["ids"]) ids += (ids.empty() ? "" : ",") + id.dump();
        std::vector<std::string> models = {folder, folder + "/"};
        if (name == "qwen3_sharded") models.push_back(folder + "/" + kIndex);
        std::string first;
        for (const std::string& model : models) {
            const ProgramResult result =
                run_program({"logits", "--model", model, "--ids", ids, "--out", out, "--threads", "1"});
            ASSERT_EQ(result.status, 0) << model << ": " << result.err;
            const std::string logits = read_text(out);
            EXPECT_EQ(logits.size(), read_text(folder + "/logits.bin").size());
            if (first.empty()) first = logits;
            EXPECT_EQ(logits, first);
        }
        const ProgramResult generated = run_program({"generate", "--model", folder, "--ids", ids, "--greedy",
                                                     "--eos", "none", "--max-new-tokens", "24", "--json"});
        ASSERT_EQ(generated.status, 0) << generated.err;
        EXPECT_EQ(parse_json(generated.out, "out")["rows"][0], expected["greedy"]);
    }
}

TEST(Folders, LeaveOtherFilesAside) {
    const TemporaryFolder work;
    copy_model("llama_no_theta", work);
    for (const char* name : {"chat_template.jinja", "merges.txt", "vocab.json", "model.py", ".DS_Store",
                             "training_args.bin", "optimizer.pt", "README.md"}) {
        write_text(work.path() / name, "{% not a model %}");
    }
    EXPECT_EQ(inspect(work.str()).status, 0);
    fs::rename(work.path() / "model.safetensors", work.path() / "mine.safetensors");
    fs::remove(work.path() / "optimizer.pt");
    EXPECT_EQ(inspect(work.str()).status, 0) << "the only checkpoint there is";
    fs::copy_file(work.path() / "mine.safetensors", work.path() / "yours.pth");
    const ProgramResult two = inspect(work.str());
    EXPECT_EQ(two.status, 3);
    EXPECT_NE(two.err.find("2 checkpoints (mine.safetensors, yours.pth)"), std::string::npos) << two.err;
    fs::remove(work.path() / "mine.safetensors");
    fs::remove(work.path() / "yours.pth");
    const ProgramResult none = inspect(work.str());
    EXPECT_EQ(none.status, 3);
    EXPECT_NE(none.err.find(work.str() + ": this folder holds no checkpoint"), std::string::npos) << none.err;
}

TEST(Shards, AloneSayWhichTheyAre) {
    const ProgramResult result = inspect(kHf + "/qwen3_sharded/model-00003-of-00007.safetensors");
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("model-00003-of-00007.safetensors: this is shard 3 of 7"), std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find(kIndex), std::string::npos) << result.err;
    EXPECT_NE(parse_json(result.out, "out")["tensors"].size(), 0U) << "what it holds is shown all the same";
}

TEST(Shards, ThatAreMissingAreNamed) {
    const TemporaryFolder work;
    copy_model("qwen3_sharded", work);
    const std::string shard = "model-00004-of-00007.safetensors";
    const std::string whole = read_text(work / shard);
    fs::remove(work.path() / shard);
    const ProgramResult missing = inspect(work.str());
    EXPECT_EQ(missing.status, 3);
    EXPECT_NE(missing.err.find(work / shard + ": is missing"), std::string::npos) << missing.err;
    // Another model's shard, without the tensors that the index promises.
    fs::copy_file(work.path() / "model-00005-of-00007.safetensors", work.path() / shard);
    const ProgramResult other = inspect(work.str());
    EXPECT_EQ(other.status, 3);
    EXPECT_NE(other.err.find(": tensor "), std::string::npos) << other.err;
    write_text(work / shard, whole.substr(0, whole.size() - 1));
    const ProgramResult cut = inspect(work.str());
    EXPECT_EQ(cut.status, 3);
    EXPECT_TRUE(cut.err.starts_with("mm-native: " + (work / shard))) << cut.err;
}

TEST(Shards, NeverLieOutsideOfTheFolder) {
    const TemporaryFolder work;
    fs::create_directory(work.path() / "inside");
    copy_model("llama_no_theta", work);
    for (const std::string& name : {std::string("../model.safetensors"), work / "model.safetensors"}) {
        write_text(work.path() / "inside" / kIndex, R"({"weight_map": {"lm_head.weight": ")" + name + "\"}}");
        const ProgramResult result = inspect(work / "inside");
        EXPECT_EQ(result.status, 3);
        EXPECT_NE(result.err.find("shards lie beside their index"), std::string::npos) << result.err;
    }
}

TEST(NotFinite, EndsEveryCommandWithTheFileAndExitThree) {
    const TemporaryFolder work;
    const std::string file = source_file("tests/golden/wrong_models/inf_logits.safetensors");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"logits", "--ids", "0,1", "--out", work / "out.bin"},
          {"topp", "--ids", "0,1"},
          {"generate", "--ids", "0,1", "--max-new-tokens", "2", "--top-k", "2"},
          {"generate", "--ids", "0,1", "--greedy", "--max-new-tokens", "2"}}) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--model", file});
        const ProgramResult result = run_program(all);
        EXPECT_EQ(result.status, 3) << arguments[0] << result.err;
        EXPECT_TRUE(result.err.find("mm-native: " + file + ": ") != std::string::npos) << result.err;
        EXPECT_NE(result.err.find("gives NaN or infinite values"), std::string::npos) << result.err;
        EXPECT_EQ(result.err.find("--help"), std::string::npos) << result.err;
        EXPECT_FALSE(fs::exists(work.path() / "out.bin"));
    }
}

TEST(NotFinite, RouterScoresThatOverflowAreNamedByTheirLayer) {
    const TemporaryFolder work;
    const std::string file = source_file("tests/golden/wrong_models/moe_nan_router.safetensors");
    std::string ids = "0";
    for (int i = 1; i < 64; ++i) ids += ",0";
    const ProgramResult result = run_program(
        {"logits", "--model", file, "--experts-per-token", "2", "--ids", ids, "--out", work / "out.bin"});
    EXPECT_EQ(result.status, 3);
    EXPECT_TRUE(result.err.starts_with("mm-native: " + file + ": layer 0: ")) << result.err;
}

TEST(ForeignTypes, AreNamedAndNeverTied) {
    for (const auto& [name, embedding, head] :
         {std::tuple{"foreign_tie", "float8_e4m3fn", "float8_e5m2"}, {"tie_u8_u16", "uint8", "uint16"}}) {
        const std::string file =
            source_file(std::string("tests/golden/wrong_models/") + name + ".safetensors");
        const ProgramResult result = inspect(file);
        EXPECT_EQ(result.status, 3) << name;
        EXPECT_TRUE(result.err.starts_with("mm-native: " + file +
                                           ": tensor model.embed_tokens.weight: dtype: " + embedding))
            << result.err;
        for (const Json& tensor : parse_json(result.out, "out")["tensors"]) {
            if (tensor["name"] == "model.embed_tokens.weight") {
                EXPECT_EQ(tensor["dtype"], embedding);
            }
            if (tensor["name"] == "lm_head.weight") {
                EXPECT_EQ(tensor["dtype"], head);
            }
        }
        EXPECT_EQ(result.out.find("\"tie_word_embeddings\""), std::string::npos) << result.out;
    }
    const ProgramResult listed =
        inspect(source_file("tests/golden/wrong_models/foreign_dtype_listed.safetensors"));
    EXPECT_EQ(listed.status, 3);
    EXPECT_NE(listed.out.find("float8_e4m3fn"), std::string::npos) << listed.out;
}

TEST(Limits, OfAConfigNameTheConfig) {
    const TemporaryFolder work;
    copy_model("llama_no_theta", work);
    Json config = parse_json(read_text(work / "config.json"), "config.json");
    config["max_position_embeddings"] = 3;
    write_text(work / "config.json", config.dump());
    const std::vector<std::string> call = {"logits",   "--ids",   "1,2,3,4", "--out",
                                           work / "x", "--model", work.str()};
    const ProgramResult by_file = run_program(call);
    EXPECT_EQ(by_file.status, 3);
    EXPECT_NE(by_file.err.find(work / "config.json" + ": max_position_embeddings: "), std::string::npos)
        << by_file.err;
}

TEST(Tokenizers, FarSmallerThanTheModelAreNoted) {
    const TemporaryFolder work;
    copy_model("llama_no_theta", work);
    write_text(work / "tokenizer.json",
               R"({"added_tokens":[],"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},)"
               R"("decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]}})");
    const ProgramResult result = run_program({"topp", "--prompt", "ab", "--model", work.str()});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("its ids end at 1, the model has 97"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace mm
