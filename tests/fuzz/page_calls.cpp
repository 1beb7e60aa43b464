// The border of the WebAssembly module: what a page may say to the core. One call a line, its name and its
// params as JSON; texts in params under "attached" come along as the call's files.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/page/workbench.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {
namespace {

constexpr int kMostCalls = 40;

/// A workbench with the smallest model there is. Each reading of its clock is a second later, so that a slice
/// of long work is one step of it.
struct Desk {
    Desk() {
        static const std::string pretrain = read_file(test_path("golden/lab/ref/pretrain.pth"));
        static const std::string sft = read_file(test_path("golden/lab/ref/sft.pth"));
        static const std::string tokenizer = read_file(test_path("golden/lab/ref/tokenizer.json"));
        static const std::string documents = read_file(test_path("golden/lab/data/pretrain_val.jsonl"));
        bench.call("open", {{"own", true}, {"sftLater", false}},
                   {{"tokenizer", {"tokenizer.json", as_bytes(tokenizer)}},
                    {"pretrain", {"pretrain.pth", as_bytes(pretrain)}},
                    {"sft", {"sft.pth", as_bytes(sft)}},
                    {"documents", {"val.jsonl", as_bytes(documents)}}});
    }
    int seconds = 0;
    page::Workbench bench{[this] { return static_cast<double>(++seconds); }};
};

page::Files attached(const Json& params) {
    page::Files files;
    const auto texts = params.find("attached");
    if (texts == params.end() || !texts->is_object()) return files;
    for (const auto& [name, text] : texts->items()) {
        if (text.is_string()) files[name] = {name, as_bytes(text.get_ref<const std::string&>())};
    }
    return files;
}

bool is_call(std::string_view name) {
    const auto names = page::Workbench::names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

// However long a slice of work the page asks for, a few steps are enough here.
Json shortened(Json params) {
    constexpr double kLongest = 5000;
    const auto asked = params.find("milliseconds");
    if (asked != params.end() && asked->is_number() && asked->get<double>() > kLongest) *asked = kLongest;
    return params;
}

}  // namespace

void page_calls(std::string_view input) {
    std::unique_ptr<Desk> desk;  // of this input alone: what one finds, it finds again
    for (int calls = 0; calls < kMostCalls && !input.empty(); ++calls) {
        const std::string_view line = input.substr(0, input.find('\n'));
        input.remove_prefix(std::min(input.size(), line.size() + 1));
        const std::string name(line.substr(0, line.find(' ')));
        // Another name is a mistake of the page's author, and is called one.
        if (name.size() == line.size() || !is_call(name)) continue;
        reads_or_explains("", [&] {
            Json params = parse_json(line.substr(name.size() + 1), "params");
            if (name == "advance") params = shortened(std::move(params));
            if (!desk) desk = std::make_unique<Desk>();
            const Json value = desk->bench.call(name, params, attached(params));
            const std::string told = value.dump(-1, ' ', false, Json::error_handler_t::replace);
            require(Json::parse(told).size() == value.size(), "an answer that does not cross the border");
        });
    }
}

}  // namespace mm::fuzz
