// `generate`, `logits`, `topp` and `inspect` as programs. What the numbers must be is tests/model's and
// tests/decode's business; here: keys, relations between commands, streams, which model is taken.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "program_json.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

TEST(Generate, JsonKeysAndCounts) {
    const Json found = json_of({"generate", "--prompt", "민수는", "--max-new-tokens", "5",
                                "--num-return-sequences", "3", "--seed", "7", "--eos", "none", "--json"});
    EXPECT_EQ(keys(found), (std::vector<std::string>{"prompt_ids", "rows", "texts", "steps", "tokens_fed",
                                                     "kv_bytes", "rng_u32_consumed", "seconds"}));
    const std::size_t prompt = found["prompt_ids"].size();
    EXPECT_EQ(found["prompt_ids"][0], 1) << "bos";
    EXPECT_EQ(found["rows"].size(), 3U);
    EXPECT_EQ(found["texts"].size(), 3U);
    EXPECT_EQ(found["steps"], 5);
    EXPECT_EQ(found["tokens_fed"], 3 * (prompt + 4)) << "rows × (P + N − 1)";
    EXPECT_GT(found["seconds"], 0);
    for (const Json& row : found["rows"]) EXPECT_EQ(row.size(), 5U);
}

TEST(Generate, TheCacheChangesCountsAndNothingElse) {
    std::vector<std::string> arguments{
        "generate", "--prompt", "마을의 특산물은", "--max-new-tokens", "12", "--eos", "none",
        "--seed",   "3",        "--json"};
    const Json cached = json_of(arguments);
    arguments.push_back("--no-cache");
    const Json uncached = json_of(arguments);
    EXPECT_EQ(cached["rows"], uncached["rows"]);
    EXPECT_EQ(cached["rng_u32_consumed"], uncached["rng_u32_consumed"]);
    const std::size_t prompt = cached["prompt_ids"].size();
    EXPECT_EQ(cached["tokens_fed"], prompt + 11);
    EXPECT_EQ(uncached["tokens_fed"], 12 * prompt + 12 * 11 / 2);
    EXPECT_GT(cached["kv_bytes"], 0);
    EXPECT_EQ(uncached["kv_bytes"], 0);
    arguments.push_back("--threads");
    arguments.push_back("3");
    EXPECT_EQ(json_of(arguments)["rows"], uncached["rows"]) << "threads change nothing";
}

TEST(Generate, StreamsTheTextOfTheJson) {
    const std::vector<std::string> arguments{
        "generate", "--chat", "가람 마을의 특산물은 뭐야?", "--max-new-tokens", "40", "--seed", "11"};
    std::vector<std::string> with_json = arguments;
    with_json.push_back("--json");
    const Json found = json_of(with_json);
    const ProgramResult streamed = run_program(arguments);
    EXPECT_EQ(streamed.status, 0);
    EXPECT_EQ(streamed.out, found["texts"][0].get<std::string>() + "\n");
    EXPECT_NE(streamed.err.find("tokens entered forward"), std::string::npos);

    std::vector<std::string> several = arguments;
    several.insert(several.end(), {"--num-return-sequences", "2"});
    const std::string text = run_program(several).out;
    several.push_back("--json");
    const Json rows = json_of(several)["texts"];
    EXPECT_EQ(text, "1  " + rows[0].get<std::string>() + "\n2  " + rows[1].get<std::string>() + "\n");
}

TEST(Generate, GreedyHasNoRandomNumbers) {
    const Json greedy =
        json_of({"generate", "--ids", "1,300", "--greedy", "--max-new-tokens", "6", "--json"});
    EXPECT_EQ(greedy["rng_u32_consumed"], 0);
    const Json cold =
        json_of({"generate", "--ids", "1,300", "--temperature", "0", "--max-new-tokens", "6", "--json"});
    EXPECT_EQ(cold["rows"], greedy["rows"]);
}

TEST(Generate, ZeroTokens) {
    const Json found = json_of({"generate", "--ids", "1", "--max-new-tokens", "0", "--json"});
    EXPECT_EQ(found["steps"], 0);
    EXPECT_EQ(found["rows"], Json({Json::array()}));
    EXPECT_EQ(found["tokens_fed"], 0);
}

TEST(Generate, AFileWithoutATokenizer) {
    const TemporaryFolder folder;
    std::filesystem::copy(source_file("web/models/demo/pretrain.pth"), folder.path() / "model.pth");
    const Json found = json_of({"generate", "--model", folder / "model.pth", "--ids", "1,5",
                                "--max-new-tokens", "3", "--eos", "none", "--json"});
    EXPECT_TRUE(found["texts"].is_null());
    EXPECT_EQ(found["rows"][0].size(), 3U);
    const ProgramResult people = run_program({"generate", "--model", folder / "model.pth", "--ids", "1,5",
                                              "--max-new-tokens", "3", "--eos", "none"});
    std::string ids;
    for (const Json& id : found["rows"][0]) ids += (ids.empty() ? "" : ",") + id.dump();
    EXPECT_EQ(people.out, ids + "\n");

    const ProgramResult refused =
        run_program({"generate", "--model", folder / "model.pth", "--prompt", "가"});
    EXPECT_EQ(refused.status, 3);
    for (const char* place : {"/opt/mm/tokenizer", "/opt/mm/ref", "/opt/mm,", "/opt/minimind/model"}) {
        EXPECT_NE(refused.err.find(place), std::string::npos) << place << " is not in " << refused.err;
    }
    EXPECT_NE(refused.err.find(folder.str()), std::string::npos) << refused.err;
}

TEST(Logits, RawNumbersOfEveryPosition) {
    const TemporaryFolder folder;
    const Json found = json_of({"logits", "--ids", "1,5,6,7", "--out", folder / "logits.bin", "--json"});
    EXPECT_EQ(keys(found), (std::vector<std::string>{"shape", "kv_bytes", "k_shape"}));
    const Json inspected = json_of({"inspect", "--json"});
    const std::size_t vocab = inspected["config"]["vocab_size"];
    EXPECT_EQ(found["shape"], Json({4, vocab}));
    EXPECT_EQ(found["k_shape"],
              Json({1, 4, inspected["config"]["num_key_value_heads"], inspected["config"]["head_dim"]}));
    EXPECT_EQ(found["kv_bytes"], inspected["kv_bytes_per_token"].get<std::size_t>() * 4);
    const std::string bytes = read_text(folder / "logits.bin");
    ASSERT_EQ(bytes.size(), 4 * vocab * sizeof(float));
    // The likeliest token of the last row is what greedy decoding takes.
    std::vector<float> last(vocab);
    std::memcpy(last.data(), bytes.data() + 3 * vocab * sizeof(float), vocab * sizeof(float));
    const auto best = std::max_element(last.begin(), last.end()) - last.begin();
    EXPECT_EQ(json_of({"generate", "--ids", "1,5,6,7", "--greedy", "--max-new-tokens", "1",
                       "--json"})["rows"][0][0],
              best);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "no litter";
}

TEST(Logits, ABlockAtATimeIsTheSameBits) {
    const TemporaryFolder folder;
    std::string ids = "1";
    for (int i = 0; i < 300; ++i) ids += "," + std::to_string(3 + i % 200);
    const Json found = json_of({"logits", "--ids", ids, "--out", folder / "long.bin", "--json"});
    const std::size_t row = found["shape"][1].get<std::size_t>() * sizeof(float);
    json_of({"logits", "--ids", ids.substr(0, ids.find(',', ids.size() / 2)), "--out", folder / "short.bin",
             "--json"});
    const std::string all = read_text(folder / "long.bin");
    const std::string some = read_text(folder / "short.bin");
    ASSERT_EQ(all.size(), 301 * row);
    EXPECT_EQ(all.substr(0, some.size()), some);
}

TEST(Logits, AFailureLeavesTheEarlierFile) {
    const TemporaryFolder folder;
    write_text(folder.path() / "logits.bin", "earlier");
    EXPECT_EQ(run_program({"logits", "--ids", "1,99999999", "--out", folder / "logits.bin"}).status, 2);
    EXPECT_EQ(read_text(folder / "logits.bin"), "earlier");
    EXPECT_EQ(run_program({"logits", "--ids", "1", "--out", folder.str()}).status, 3);
    EXPECT_EQ(run_program({"logits", "--ids", "1", "--out", folder / "none/x"}).status, 3);
    const ProgramResult full = run_program({"logits", "--ids", "1", "--out", "/dev/full"});
    EXPECT_EQ(full.status, 3);
    EXPECT_NE(full.err.find("/dev/full: cannot be written: No space left on device"), std::string::npos)
        << full.err;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "no litter";
}

TEST(TopP, KeysAsTyped) {
    const Json found = json_of({"topp", "--prompt", "민수는", "--p", "0.50, .9,1,0", "--json"});
    EXPECT_EQ(keys(found), (std::vector<std::string>{"0.50", ".9", "1", "0"}));
    EXPECT_EQ(found["0"], 1);
    EXPECT_LE(found["0.50"], found[".9"]);
    EXPECT_LE(found[".9"], found["1"]);
    EXPECT_EQ(keys(json_of({"topp", "--ids", "1", "--json"})),
              (std::vector<std::string>{"0.5", "0.9", "0.99"}));
}

TEST(Inspect, JsonKeys) {
    const Json found = json_of({"inspect", "--card-gb", "24", "--context", "4096", "--json"});
    EXPECT_EQ(keys(found), (std::vector<std::string>{"format", "architecture", "config", "parameters",
                                                     "dtype", "tensors", "kv_bytes_per_token", "readers"}));
    const Json& config = found["config"];
    const std::size_t per_token = 2 * config["num_hidden_layers"].get<std::size_t>() *
                                  config["num_key_value_heads"].get<std::size_t>() *
                                  config["head_dim"].get<std::size_t>() * 4;
    EXPECT_EQ(found["kv_bytes_per_token"], per_token);
    const double left = 24e9 - 4.0 * found["parameters"].get<double>();
    EXPECT_EQ(found["readers"], static_cast<std::size_t>(left / (static_cast<double>(per_token) * 4096)));
    EXPECT_EQ(keys(found["tensors"][0]), (std::vector<std::string>{"name", "dtype", "shape"}));
    EXPECT_TRUE(json_of({"inspect", "--json"})["readers"].is_null());
    EXPECT_EQ(json_of({"inspect", "--card-gb", "0", "--context", "1", "--json"})["readers"], 0);
}

TEST(Inspect, OptionsWinOverFiles) {
    const TemporaryFolder folder;
    std::filesystem::copy(source_file("web/models/demo/pretrain.pth"), folder.path() / "model.pth");
    const std::string model = folder / "model.pth";
    EXPECT_EQ(json_of({"inspect", "--model", model, "--json"})["config"]["rope_theta"], 1e6);
    write_text(folder.path() / "config.json", R"({"rope_theta": 5000, "max_position_embeddings": 77})");
    EXPECT_EQ(json_of({"inspect", "--model", model, "--json"})["config"]["rope_theta"], 5000);
    write_text(folder.path() / "other.json", R"({"rope_theta": 6000})");
    const Json other =
        json_of({"inspect", "--model", model, "--config", folder / "other.json", "--json"})["config"];
    EXPECT_EQ(other["rope_theta"], 6000);
    EXPECT_EQ(other["max_position_embeddings"], 32768) << "--config replaces the file beside the checkpoint";
    EXPECT_EQ(
        json_of({"inspect", "--model", model, "--rope-theta", "7000", "--json"})["config"]["rope_theta"],
        7000);
    write_text(folder.path() / "config.json", R"({"hidden_act": "gelu"})");
    const ProgramResult refused = run_program({"inspect", "--model", model});
    EXPECT_EQ(refused.status, 3);
    EXPECT_NE(refused.err.find("config.json: hidden_act"), std::string::npos) << refused.err;
}

TEST(Inspect, OnlyRegularFilesAreCheckpoints) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    for (const auto& [name, part] :
         std::vector<std::pair<std::string, std::string>>{{folder / "fifo", "is a pipe"},
                                                          {"/dev/zero", "is a device"},
                                                          {folder.str(), "this folder holds no checkpoint"},
                                                          {folder / "none", "No such file"}}) {
        const ProgramResult result = run_program({"inspect", "--model", name});
        EXPECT_EQ(result.status, 3);
        EXPECT_NE(result.err.find("mm-native: " + name + ": "), std::string::npos) << result.err;
        EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
        EXPECT_LT(result.seconds, 5);
    }
}

}  // namespace
}  // namespace mm
