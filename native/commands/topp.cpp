// mm-native topp: how many candidates the top-p rule keeps for the next token.
#include <algorithm>
#include <memory>

#include "core/decode/distribution.hpp"
#include "native/commands/command.hpp"
#include "native/loading/load_model.hpp"
#include "native/loading/prompt_model.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

struct TopPOptions {
    ModelOptions model;
    PromptOptions prompt;
    std::string p = "0.5,0.9,0.99";
    double temperature = 1;
    bool json = false;
};

struct Threshold {
    std::string typed;
    double p;
};

std::vector<Threshold> thresholds(const std::string& list) {
    std::vector<Threshold> out;
    for (const std::string& typed : parse_list("--p", list)) {
        const double p = parse_number("--p", typed);
        if (p < 0 || p > 1)
            throw_error(ErrorKind::range, "'" + typed + "' is not in 0 … 1", {.field = "--p"});
        if (std::any_of(out.begin(), out.end(), [&](const Threshold& t) { return t.typed == typed; })) {
            throw_error(ErrorKind::range, typed + " is given twice", {.field = "--p"});
        }
        out.push_back({typed, p});
    }
    if (out.empty()) throw_error(ErrorKind::range, "at least one threshold is needed", {.field = "--p"});
    return out;
}

int run(const TopPOptions& options, Console& console) {
    const Prompt prompt = options.prompt.read(false, console);
    const std::vector<Threshold> wanted = thresholds(options.p);
    if (!(options.temperature > 0)) {
        throw_error(ErrorKind::range, "must be above 0", {.field = "--temperature"});
    }
    const PromptModel loaded = load_prompt_model(options.model, options.prompt, prompt, console);
    const std::vector<TokenId>& ids = loaded.prompt_ids;
    KvCache cache(loaded.model.config());
    Workspace workspace;
    Matrix logits;
    loaded.model.forward({ids}, cache, LogitsFor::last, logits, workspace);
    Json found;
    Rows rows;
    for (const Threshold& threshold : wanted) {
        const std::size_t kept =
            top_p_survivors({logits.data(), logits.size()}, options.temperature, threshold.p);
        found[threshold.typed] = kept;
        rows.add("p = " + threshold.typed, grouped(kept) + " of " + grouped(logits.size()) + " candidates");
    }
    if (options.json) {
        print_json(console, found);
    } else {
        console.out.write(rows.text(console.columns()));
    }
    return kDone;
}

}  // namespace

void add_topp(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<TopPOptions>();
    CLI::App& command = add_command(app, "topp", "Count the candidates that top-p keeps for the next token",
                                    "(--ids LIST | --prompt TEXT) [--p LIST] [options]",
                                    "mm-native topp --prompt 민수는 --p 0.5,0.9,0.99");
    add_prompt_options(command, options->prompt, false);
    add_option(command, {"--p", "LIST", "thresholds, each in 0 … 1"}, options->p);
    add_option(command, {"--temperature", "X", "divides the logits, above 0"}, options->temperature);
    add_json_switch(command, "each p as typed, and its count", options->json);
    add_model_options(command, options->model, "demo:pretrain");
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
