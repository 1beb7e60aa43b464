// Opening a model: whole or not at all, its files told as they are.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <tuple>

#include "bench.hpp"

namespace mm::page {
namespace {

TEST_F(Bench, TellsWhatWasLoaded) {
    EXPECT_EQ(bench.call("opened", {}), nullptr);
    const Json opened = open(files(), true);
    EXPECT_EQ(opened, bench.call("opened", {}));
    EXPECT_EQ(opened["own"], true);
    EXPECT_EQ(opened["number"], 1);
    EXPECT_EQ(opened["sft"]["file"], "sft.pth");
    EXPECT_EQ(opened["tokenizer"], Json({{"file", "tokenizer.json"}, {"fileBytes", tokenizer.size()}}));
    EXPECT_EQ(opened["documents"]["count"], 6);
    const Json info = opened["pretrain"];
    EXPECT_EQ(info["file"], "pretrain.pth");
    EXPECT_EQ(info["format"], "torch zip");
    EXPECT_EQ(info["dtype"], "float16");
    EXPECT_EQ(info["architecture"], "minimind-3");
    EXPECT_EQ(info["fileBytes"], pretrain.size());
    EXPECT_EQ(info["config"]["vocab_size"], golden["vocab_size"]);
    EXPECT_EQ(info["kvBytesPerToken"], 2048);
}

TEST_F(Bench, TheSftCheckpointMayComeLater) {
    const Files sft_file = {{"checkpoint", {"sft.pth", as_bytes(sft)}}};
    EXPECT_THROW(bench.call("openSft", {}, sft_file), Error);
    Files given = files();
    given.erase("sft");
    EXPECT_EQ(open(given, false, true)["sft"], nullptr);
    EXPECT_EQ(refusal("answers", {{"temperature", 1.0}, {"seed", "0"}}),
              "range role: no model is loaded for 'sft'");
    bench.call("startDecode", {{"prompt", {{"kind", "lab"}}}, {"newTokens", 2}});
    EXPECT_THROW(bench.call("openSft", {}, {{"checkpoint", {"sft.pth", as_bytes(documents)}}}), Error);
    EXPECT_EQ(bench.call("opened", {})["sft"], nullptr);
    const Json whole = bench.call("openSft", {}, sft_file);
    EXPECT_EQ(whole["sft"]["file"], "sft.pth");
    EXPECT_EQ(whole["number"], 1);
    EXPECT_EQ(whole, bench.call("opened", {}));
    bench.call("step", {});  // the scene goes on
    EXPECT_EQ(work("answers", {{"temperature", 0.3}, {"seed", "0"}})["total"], 30);
}

TEST_F(Bench, OneCheckpointIsBothAndHeldOnce) {
    const Json opened = open_one(pretrain);
    EXPECT_EQ(opened["sft"], opened["pretrain"]);
    EXPECT_EQ(opened["documents"], nullptr);
    EXPECT_EQ(&bench.loaded("sft").model, &bench.loaded("pretrain").model);
}

TEST_F(Bench, ACheckpointInShardsIsOneModel) {
    const auto folder = std::filesystem::path(MM_SOURCE_DIR) / "tests" / "golden" / "hf" / "qwen3_sharded";
    const std::string index_name = "model.safetensors.index.json";
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        texts[entry.path().filename().string()] = test::read_text(entry.path());
    }
    Json tiny = Json::parse(tokenizer);  // as small as the model's vocabulary
    tiny["model"]["merges"] = Json::array();
    Json vocabulary = Json::object();
    for (const auto& [piece, id] : tiny["model"]["vocab"].items()) {
        if (id < 97) vocabulary[piece] = id;
    }
    tiny["model"]["vocab"] = vocabulary;
    const std::string tiny_tokenizer = tiny.dump();
    Files given = {{"pretrain", {index_name, as_bytes(texts[index_name])}},
                   {"config", {"config.json", as_bytes(texts["config.json"])}},
                   {"tokenizer", {"tokenizer.json", as_bytes(tiny_tokenizer)}}};
    std::size_t bytes = texts[index_name].size();
    for (int n = 1; n <= 7; ++n) {  // the last one first
        const std::string name = "model-0000" + std::to_string(n) + "-of-00007.safetensors";
        given["pretrain/" + std::to_string(7 - n)] = {name, as_bytes(texts[name])};
        bytes += texts[name].size();
    }
    const Json told = open(given)["pretrain"];
    EXPECT_EQ(told["file"], index_name);
    EXPECT_EQ(told["format"], "safetensors, sharded");
    EXPECT_EQ(told["fileBytes"], bytes);
    const Json expected = Json::parse(texts["expected.json"]);
    const std::vector<float>& logits = bench.logits_after(expected["ids"].get<std::vector<TokenId>>());
    ASSERT_EQ(logits.size(), 97U);
    std::vector<float> theirs(97);
    const std::string& rows = texts["logits.bin"];
    std::memcpy(theirs.data(), rows.data() + rows.size() - 97 * sizeof(float), 97 * sizeof(float));
    for (std::size_t i = 0; i < 97; ++i) EXPECT_NEAR(logits[i], theirs[i], 1e-4) << i;

    const auto blamed = [&](const std::string& part, const File& file) {
        Files changed = given;
        changed.erase(part);
        if (!file.name.empty()) changed[part] = file;
        try {
            open(changed);
        } catch (const Error& error) {
            return error.context().file;
        }
        return std::string();
    };
    const std::string third = "model-00003-of-00007.safetensors";
    EXPECT_EQ(blamed("pretrain/4", {}), third) << "missing";
    EXPECT_EQ(blamed("pretrain/4", {third, as_bytes(std::string_view("no"))}), third);
    EXPECT_EQ(blamed("pretrain/4", {third, as_bytes(texts["model-00004-of-00007.safetensors"])}),
              "model-00004-of-00007.safetensors")
        << "twice";
    EXPECT_EQ(blamed("pretrain", {index_name, as_bytes(std::string_view("{}"))}), index_name);
    EXPECT_EQ(bench.call("opened", {})["pretrain"], told);
}

TEST_F(Bench, OpeningHappensWholeOrNotAtAll) {
    open_all();
    const Json before = bench.call("opened", {});
    bench.call("startDecode", {{"prompt", {{"kind", "lab"}}}, {"newTokens", 64}});
    bench.call("lab", {});
    const std::string cut = pretrain.substr(0, 99999);
    const std::string page = "<!doctype html><title>404</title>";
    const std::string half = documents.substr(0, documents.find('\n') + 1) + "{\"text\": ";
    Json far = Json::parse(tokenizer);  // with an id that no checkpoint here has
    Json token = far["added_tokens"][0];
    token["id"] = 99999;
    token["content"] = "<|far|>";
    far["added_tokens"].push_back(token);
    const std::string far_tokenizer = far.dump();
    const std::vector<std::tuple<const char*, File, std::string>> broken = {
        {"pretrain", {"pretrain.pth", as_bytes(page)}, "pretrain.pth"},
        {"pretrain", {"cut.pth", as_bytes(cut)}, "cut.pth"},
        {"sft", {"cut.pth", as_bytes(cut)}, "cut.pth"},
        {"tokenizer", {"tokenizer.json", as_bytes(std::string_view("{}"))}, "tokenizer.json"},
        {"tokenizer", {"tokenizer.json", as_bytes(far_tokenizer)}, "tokenizer.json"},
        {"documents", {"val.jsonl", as_bytes(half)}, "val.jsonl"},
        {"documents", {"val.jsonl", as_bytes(std::string_view(""))}, "val.jsonl"},
        {"config", {"config.json", as_bytes(std::string_view("{\"hidden_size\": 64}"))}, "config.json"}};
    for (const auto& [part, file, blamed] : broken) {
        Files given = files();
        given.insert_or_assign(part, file);
        try {
            open(given, true);
            ADD_FAILURE() << part << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.context().file, blamed) << error.what();
        }
        EXPECT_EQ(bench.call("opened", {}), before) << part;
    }
    EXPECT_THROW(open({}), Error);
    EXPECT_FALSE(bench.call("advance", {{"milliseconds", 0}})["done"]) << "work goes on";
    EXPECT_EQ(bench.call("step", {})["token"]["id"], golden["same"]["ids"][0]) << "and the scene";
}

TEST_F(Bench, PacksIntoTheFilesMemory) {
    // With no room behind the file, with some, with plenty.
    for (const std::size_t room : {std::size_t{0}, pretrain.size() / 16, 2 * pretrain.size()}) {
        const std::size_t bytes = pretrain.size() + room;
        const std::shared_ptr<std::byte> memory(new std::byte[bytes], std::default_delete<std::byte[]>());
        std::memcpy(memory.get(), pretrain.data(), pretrain.size());
        Files given = files();
        given.erase("sft");
        given.insert_or_assign("pretrain", File{"model.pth", {memory.get(), pretrain.size()}, memory, bytes});
        open(given);
        given.clear();
        EXPECT_GT(memory.use_count(), room == 0 ? 1 : 10) << room;
        std::memset(memory.get(), 0xFF, 64);  // the zip's header is not read again
        bench.call("startDecode", {{"prompt", {{"kind", "lab"}}}, {"newTokens", 8}});
        for (std::size_t i = 0; i < 8; ++i)
            EXPECT_EQ(bench.call("step", {})["token"]["id"], golden["same"]["ids"][i]) << room;
        open_one(sft);
        EXPECT_EQ(memory.use_count(), 1);
    }
}

}  // namespace
}  // namespace mm::page
