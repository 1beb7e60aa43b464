// A page's calls on the demo. The same calls cross the border of the WebAssembly module (tests/wasm).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../lab/golden_lab.hpp"
#include "core/page/workbench.hpp"

namespace mm::page {

inline const std::filesystem::path kDemo = std::filesystem::path(MM_SOURCE_DIR) / "web" / "models" / "demo";

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

}  // namespace mm::page
