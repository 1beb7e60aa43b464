// A page's calls on the demo, against what MiniMind's own code gives for it (tests/golden/demo) and against
// plain recomputation. The same calls cross the border of the WebAssembly module (tests/wasm).
#include "core/page/workbench.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "../lab/golden_lab.hpp"
#include "core/base/join.hpp"
#include "core/lab/lab.hpp"

namespace mm::page {
namespace {

const std::filesystem::path kDemo = std::filesystem::path(MM_SOURCE_DIR) / "web" / "models" / "demo";

/// The demo's files and a workbench. The clock is a counter: each reading is a millisecond later.
struct Bench : testing::Test {
    std::string pretrain = test::read_text(kDemo / "pretrain.pth");
    std::string sft = test::read_text(kDemo / "sft.pth");
    std::string tokenizer = test::read_text(kDemo / "tokenizer.json");
    std::string documents = test::read_text(kDemo / "pretrain_val.jsonl");
    Json golden = Json::parse(
        test::read_text(std::filesystem::path(MM_SOURCE_DIR) / "tests" / "golden" / "demo" / "demo.json"));
    int ticks = 0;
    Workbench bench{[this] { return 1e-3 * ++ticks; }};

    Files files() const {
        return {{"pretrain", {"pretrain.pth", as_bytes(pretrain)}},
                {"sft", {"sft.pth", as_bytes(sft)}},
                {"tokenizer", {"tokenizer.json", as_bytes(tokenizer)}},
                {"documents", {"val.jsonl", as_bytes(documents)}}};
    }
    Json open(const Files& given, bool own = false, bool sft_later = false) {
        return bench.call("open", {{"own", own}, {"sftLater", sft_later}}, given);
    }
    Json open_all() { return open(files()); }
    /// One checkpoint for both roles, without documents.
    Json open_one(const std::string& checkpoint) {
        return open({{"pretrain", {"model.pth", as_bytes(checkpoint)}},
                     {"tokenizer", {"tokenizer.json", as_bytes(tokenizer)}}});
    }
    /// Work begun by `name`, carried on to its end.
    Json work(const char* name, const Json& params) {
        bench.call(name, params);
        for (;;) {
            const Json reply = bench.call("advance", {{"milliseconds", 3}});
            if (reply["done"]) return reply["value"];
        }
    }
    std::string refusal(const char* name, const Json& params) {
        try {
            bench.call(name, params);
        } catch (const Error& error) {
            return std::string(to_string(error.kind())) + " " + error.what();
        }
        return "nothing was refused";
    }
};

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

TEST_F(Bench, TheSceneIsTheLabsTwoRuns) {
    open_all();
    const Json start = bench.call("startDecode", {{"prompt", {{"kind", "lab"}}}, {"newTokens", 64}});
    ASSERT_EQ(start["prompt"].size(), 201u);
    for (std::size_t i = 0; i < 201; ++i) EXPECT_EQ(start["prompt"][i]["id"], golden["same"]["prompt"][i]);
    EXPECT_EQ(start["finalWithCache"], golden["count"]["fed_with_cache"]);
    EXPECT_EQ(start["finalWithoutCache"], golden["count"]["fed_without_cache"]);
    Json last;
    for (std::size_t i = 0; i < 64; ++i) {
        const Json step = bench.call("step", {});
        EXPECT_EQ(step["step"], i + 1);
        EXPECT_EQ(step["token"]["id"], golden["same"]["ids"][i]);
        EXPECT_EQ(step["top"][0]["id"], golden["same"]["ids"][i]);
        EXPECT_EQ(step["top"].size(), 10u);
        EXPECT_TRUE(step["sameToken"]);
        EXPECT_EQ(step["largestDifference"], 0);
        EXPECT_EQ(step["cache"]["bytesUsed"], step["cache"]["formulaBytes"]);
        EXPECT_EQ(step["cache"]["bytesAfterRepeat"], 2 * step["cache"]["bytesUsed"].get<int>());
        EXPECT_EQ(step["cache"]["kShape"], Json({1, 201 + i, 2, 32}));
        for (const char* lane : {"withCache", "withoutCache"}) {
            EXPECT_EQ(step[lane]["fedTotal"], step[lane]["formulaTotal"]) << lane;
        }
        EXPECT_EQ(step["withCache"]["fed"], i == 0 ? 201 : 1);
        EXPECT_EQ(step["withoutCache"]["fed"], 201 + i);
        EXPECT_EQ(step["done"], i == 63);
        last = step;
    }
    const auto ids = golden["same"]["ids"].get<std::vector<TokenId>>();
    EXPECT_EQ(last["textSoFar"], bench.loaded("pretrain").tokenizer.decode(ids));
    EXPECT_EQ(refusal("step", {}), "range step: all 64 steps are made");
}

TEST_F(Bench, GoingBackAndOnAgainGivesTheSameSteps) {
    open_all();
    bench.call("startDecode", {{"prompt", {{"kind", "text"}, {"text", "민수는"}}}, {"newTokens", 20}});
    std::vector<Json> first;
    const auto plain = [](Json step) {
        for (const char* lane : {"withCache", "withoutCache"}) step[lane].erase("milliseconds");
        return step;
    };
    for (int i = 0; i < 20; ++i) first.push_back(plain(bench.call("step", {})));
    for (const int back : {19, 7, 1, 0, 20}) {
        if (back < 20) bench.call("rewind", {{"step", back}});
        for (int i = back; i < 20; ++i) {
            EXPECT_EQ(plain(bench.call("step", {})), first[static_cast<std::size_t>(i)]) << back << " " << i;
        }
    }
    EXPECT_EQ(bench.call("steps", {}), Json({{"made", 20}, {"of", 20}}));
    EXPECT_NE(refusal("rewind", {{"step", 21}}).find("range step: must be a step already made"),
              std::string::npos);
}

Json options(double temperature, int top_k, double top_p) {
    return {{"temperature", temperature}, {"topK", top_k}, {"topP", top_p}};
}

TEST_F(Bench, DistributionsAreTheSamplersAndSumUp) {
    open_all();
    for (const auto& golden_position : golden["topp"]) {
        const Json position = {{"prompt", {{"kind", "text"}, {"text", golden_position["text"]}}}};
        for (const auto& [p, kept] : golden_position["survivors"].items()) {
            const Json view = bench.call(
                "distribution",
                {{"position", position}, {"options", options(1, 0, std::stod(p))}, {"entries", 12}});
            EXPECT_EQ(view["kept"], kept) << p;
            EXPECT_EQ(view["crossing"]["rank"], kept.get<int>() - 1);
            EXPECT_GT(view["crossing"]["cumulative"].get<double>(), std::stod(p));
            EXPECT_EQ(view["top"].size(), 12u);
            EXPECT_EQ(view["rest"]["count"], 1800 - 12);
            double before = view["rest"]["before"];
            double now = view["rest"]["now"];
            for (const auto& entry : view["top"]) {
                before += entry["probability"].get<double>();
                now += entry["now"].get<double>();
                EXPECT_EQ(entry["kept"], entry["rank"] < kept);
                EXPECT_EQ(entry["now"] > 0, entry["kept"]);
            }
            EXPECT_NEAR(before, 1, 1e-5);
            EXPECT_NEAR(now, 1, 1e-5);
        }
    }
}

TEST_F(Bench, EverySamplingOptionReachesTheSampler) {
    open_all();
    const Json position = {{"prompt", {{"kind", "text"}, {"text", "민수는"}}}};
    for (const SamplingOption& option : sampling_options()) {
        std::string name = option.name;
        for (std::size_t at; (at = name.find('_')) != name.npos;) {
            name.erase(at, 1);
            name[at] = static_cast<char>(std::toupper(name[at]));
        }
        const auto said = [&](const Json& value) {
            return refusal("distribution",
                           {{"position", position}, {"options", {{name, value}}}, {"entries", 1}});
        };
        EXPECT_TRUE(said("x").starts_with("range " + name + ": ")) << said("x");
        EXPECT_TRUE(said(-2).starts_with("range ")) << said(-2);
    }
}

TEST_F(Bench, EntropyIsThatOfTheDefinition) {
    open_all();
    const Json position = {{"prompt", {{"kind", "text"}, {"text", "민수는"}}}};
    const Json view = bench.call(
        "distribution", {{"position", position}, {"options", options(1.5, 40, 1)}, {"entries", 1800}});
    double before = 0;
    double now = 0;
    for (const auto& entry : view["top"]) {
        const double p = entry["probability"];
        const double q = entry["now"];
        if (p > 0) before -= p * std::log2(p);
        if (q > 0) now -= q * std::log2(q);
    }
    EXPECT_NEAR(view["entropyBefore"].get<double>(), before, 1e-9);
    EXPECT_NEAR(view["entropyNow"].get<double>(), now, 1e-9);
    EXPECT_NEAR(view["choicesNow"].get<double>(), std::exp2(now), 1e-6);
    EXPECT_EQ(view["keptTopK"], 40);
    EXPECT_EQ(view["kept"], 40);
    const Json greedy =
        bench.call("distribution", {{"position", position}, {"options", options(0, 0, 1)}, {"entries", 2}});
    EXPECT_EQ(greedy["entropyNow"], 0);
    EXPECT_EQ(greedy["choicesNow"], 1);
    EXPECT_EQ(greedy["top"][0]["now"], 1);
}

TEST_F(Bench, FrozenLogitsAreThoseOfThePromptAndModelAtHand) {
    open_all();
    const auto top = [&](const Json& prompt) {
        return bench.call(
            "distribution",
            {{"position", {{"prompt", prompt}}}, {"options", options(1, 0, 1)}, {"entries", 20}})["top"];
    };
    const auto ids = [](int last) { return Json{{"kind", "ids"}, {"ids", {1, 5, last}}}; };
    // More prompts than are kept, each asked for twice and again after all others.
    std::vector<Json> first;
    for (int last = 10; last < 17; ++last) first.push_back(top(ids(last)));
    for (int round = 0; round < 2; ++round) {
        for (int last = 10; last < 17; ++last)
            EXPECT_EQ(top(ids(last)), first[static_cast<std::size_t>(last - 10)]);
    }
    EXPECT_NE(first[0], first[6]);
    // Another model in the same role: nothing of the one before is shown.
    open_one(sft);
    const Json of_sft = top(ids(16));
    EXPECT_NE(of_sft, first[6]);
    open_all();
    EXPECT_EQ(top(ids(16)), first[6]);
}

TEST_F(Bench, AStepsLogitsAreThoseThatChooseTheNextToken) {
    open_all();
    bench.call("startDecode", {{"prompt", {{"kind", "ids"}, {"ids", {1, 5, 6}}}}, {"newTokens", 4}});
    const auto best = [&](int step) {
        return bench.call(
            "distribution",
            {{"position", {{"step", step}}}, {"options", options(1, 0, 1)}, {"entries", 1}})["top"][0];
    };
    const Json ahead = best(0);  // no step is made yet
    for (int step = 0; step < 4; ++step) {
        const Json before = best(step);
        const Json made = bench.call("step", {});
        EXPECT_EQ(made["token"]["id"], before["id"]);
        EXPECT_EQ(best(step), before) << "computed ahead and kept are the same bits";
    }
    EXPECT_EQ(best(0), ahead);
    EXPECT_NE(
        refusal("distribution", {{"position", {{"step", 5}}}, {"options", options(1, 0, 1)}, {"entries", 1}})
            .find("range step"),
        std::string::npos);
}

TEST_F(Bench, TheLabsFilesAndTheirGrade) {
    open_all();
    EXPECT_EQ(refusal("lab", {{"time", "{}"}}),
              "format time.json: with_cache_s: missing from this time.json");
    const char* const time = R"({"with_cache_s": 0.5, "without_cache_s": 5.0, "speedup": 10.0})";
    const Json lab = work("lab", {{"time", time}});
    const std::vector<Artifact> expected = artifacts(run_lab(bench.context(), {}, read_time_json(time, "")));
    ASSERT_EQ(lab["artifacts"].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(lab["artifacts"][i]["name"], expected[i].name);
        EXPECT_EQ(lab["artifacts"][i]["text"], expected[i].text);
    }
    for (const auto& answers : lab["answers"]) EXPECT_EQ(answers["total"], 30);
    Json artifacts = lab["artifacts"];
    const Json full = work("grade", {{"artifacts", artifacts}, {"language", "en"}, {"feedback", "full"}});
    EXPECT_EQ(full["score"], 100);
    EXPECT_EQ(full["max"], 100);
    artifacts.erase(0);
    artifacts.push_back({{"name", "same.json"}, {"text", std::string(2 << 20, '[')}});
    const Json poor = work("grade", {{"artifacts", artifacts}, {"language", "ko"}, {"feedback", "hint"}});
    EXPECT_LT(poor["score"], 100);
    EXPECT_FALSE(poor["checks"][1]["ok"]);
    EXPECT_NE(poor["checks"][1]["hint"], "");
}

TEST_F(Bench, AnswersAreTheLabsAndTheSeedCounts) {
    open_all();
    for (const auto& [temperature, golden_row] : golden["temp"].items()) {
        const Json answers = work("answers", {{"temperature", std::stod(temperature)}, {"seed", "0"}});
        EXPECT_EQ(answers["total"], 30);
        EXPECT_EQ(answers["distinct"], golden_row["distinct"]);
    }
    const auto groups = [&](const char* seed) {
        return work("answers", {{"temperature", 1.0}, {"seed", seed}})["groups"];
    };
    EXPECT_NE(groups("0"), groups("7"));
    EXPECT_EQ(groups("-1"), groups("18446744073709551615"));
    // A top-p that cuts: fewer answers with a broken character at a high temperature, from the same seed.
    const auto broken = [&](double top_p) {
        return work("answers", {{"temperature", 1.5}, {"seed", "0"}, {"topP", top_p}})["broken"].get<int>();
    };
    EXPECT_EQ(broken(1), 26);
    EXPECT_LT(broken(0.9), 26);
}

TEST_F(Bench, TimingTellsRunsMediansAndTheClock) {
    open_one(pretrain);
    const Json timing = work("time", {{"prompt", {{"kind", "ids"}, {"ids", {1, 5, 6}}}}});
    EXPECT_EQ(timing["withCache"].size(), 3u);
    EXPECT_EQ(timing["withoutCache"].size(), 3u);
    EXPECT_NEAR(timing["withCacheSeconds"].get<double>(), 0.064, 1e-9);  // a tick a step
    EXPECT_EQ(timing["speedup"], 1);
    EXPECT_NEAR(timing["clockResolution"].get<double>(), 1e-3, 1e-9);
    EXPECT_EQ(timing["promptLength"], 3);
}

TEST_F(Bench, WorkIsDroppedAndModelsStay) {
    open_all();
    bench.call("lab", {});
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(bench.call("advance", {{"milliseconds", 0}})["done"]);
    bench.call("drop", {});
    EXPECT_EQ(refusal("advance", {{"milliseconds", 0}}), "range no work was begun");
    EXPECT_EQ(work("answers", {{"temperature", 0.3}, {"seed", "0"}})["total"], 30);
    bench.call("lab", {});
    open_all();  // ends what looks at the models before
    EXPECT_EQ(refusal("advance", {{"milliseconds", 0}}), "range no work was begun");
    EXPECT_EQ(refusal("step", {}), "range no decode scene was started");
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

TEST_F(Bench, ImportsBothKindsOfTimings) {
    const auto import = [&](const std::string& text) {
        return bench.call("importTimings", {}, {{"file", {"t.json", as_bytes(text)}}});
    };
    const Json time = import(R"({"with_cache_s": 0.5, "without_cache_s": 5.0, "speedup": 10.0})");
    EXPECT_EQ(time["kind"], "time");
    EXPECT_EQ(time["time"]["speedup"], 10);
    const Json bench_json = import(
        R"({"machine": {"cpu": "C", "cores": 2, "instruction_set": "avx2", "threads": [1], "version": "1"},
            "results": [{"size": "lab", "what": "decode", "threads": 1, "median": 2.5, "min": 1, "max": 3,
                         "unit": "tokens/s", "share_of_limit": null}]})");
    EXPECT_EQ(bench_json["kind"], "bench");
    EXPECT_EQ(bench_json["machine"], "C, 2 cores, avx2");
    EXPECT_EQ(bench_json["results"][0]["median"], 2.5);
    // What an earlier version did not write: its weights were made up, its kernels the machine's.
    EXPECT_EQ(bench_json["madeUpWeights"], true);
    EXPECT_EQ(bench_json["results"][0]["kernels"], "avx2");
    for (const char* wrong : {"", "[]", "{}", R"({"results": 1})", R"({"machine": {}, "results": []})"}) {
        EXPECT_THROW(import(wrong), Error) << wrong;
    }
    // What no run can have measured is refused by name.
    const auto one = [](const char* size, const char* threads, const char* values) {
        return join(
            {R"({"machine": {"cpu": "C", "cores": 2, "instruction_set": "avx2"}, "results": [{"size": ")",
             size, R"(", "what": "decode", "threads": )", threads, ", ", values, R"(, "unit": "s"}]})"});
    };
    EXPECT_NO_THROW(import(one("lab", "1", R"("median": 2, "min": 2, "max": 2)")));
    const std::string long_name(201, 'x');
    const std::pair<std::string, const char*> impossible[] = {
        {one("lab", "1", R"("median": -1, "min": -2, "max": 1)"), "results[0].min"},
        {one("lab", "1", R"("median": 0, "min": 0, "max": 0)"), "results[0].min"},
        {one("lab", "1", R"("median": 1, "min": 1, "max": 1e300)"), "results[0].min"},
        {one("lab", "1", R"("median": 9, "min": 1, "max": 2)"), "results[0].median"},
        {one("lab", "1", R"("median": 1.5, "min": 2, "max": 1)"), "results[0].median"},
        {one("lab", "1.5", R"("median": 2, "min": 2, "max": 2)"), "results[0].threads"},
        {one(long_name.c_str(), "1", R"("median": 2, "min": 2, "max": 2)"), "results[0].size"},
    };
    for (const auto& [text, field] : impossible) {
        try {
            import(text);
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::format);
            EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
        }
    }
}

TEST_F(Bench, FormulasFillIn) {
    open_one(pretrain);
    const Json bytes = bench.call("kvBytes", {{"tokens", {0, 100}}});
    EXPECT_EQ(bytes[1], Json({{"tokens", 100}, {"bytes", 204800}, {"afterRepeat", 409600}}));
    const Json readers =
        bench.call("readers", {{"cardGigabytes", 24}, {"context", 4096}, {"cacheBytesPerValue", 2}});
    EXPECT_EQ(readers["bytesPerReader"], 4096 * 1024);
    EXPECT_EQ(readers["weightBytes"], 1116544 * 4);
    EXPECT_EQ(readers["readers"], (24'000'000'000 - 1116544 * 4) / (4096 * 1024));
    EXPECT_NE(refusal("readers", {{"cardGigabytes", -1}, {"context", 1}, {"cacheBytesPerValue", 4}}),
              "nothing was refused");
    EXPECT_NE(refusal("readers", {{"cardGigabytes", 1}, {"context", 1}, {"cacheBytesPerValue", 3}}),
              "nothing was refused");
}

TEST_F(Bench, HostileCallsAreRefusedOneByOne) {
    open_all();
    EXPECT_EQ(refusal("nothing", {}), "internal there is no call 'nothing'");
    const std::vector<Json> hostile = {
        {},
        nullptr,
        5,
        "x",
        Json::array(),
        {{"prompt", 1}},
        {{"prompt", {{"kind", "ids"}}}},
        {{"prompt", {{"kind", "ids"}, {"ids", {-1}}}}},
        {{"prompt", {{"kind", "ids"}, {"ids", Json::array()}}}, {"newTokens", 4}},
        {{"prompt", {{"kind", "lab"}}}, {"newTokens", 1e18}},
        {{"prompt", {{"kind", "lab"}}}, {"newTokens", 40000}},
        {{"step", -1}},
        {{"milliseconds", "x"}},
        {{"role", "x"}}};
    for (const std::string_view name : Workbench::names()) {
        if (name == "drop" || name == "lab" || name == "steps" || name == "opened" || name == "experiments" ||
            name == "whyTable") {
            continue;  // take nothing
        }
        for (const Json& params : hostile) {
            if ((name == "time" || name == "tokens") && params.is_object() && params.contains("newTokens"))
                continue;  // good prompts
            EXPECT_THROW(bench.call(name, params), Error) << name << " " << params;
        }
    }
}

}  // namespace
}  // namespace mm::page
