// mm-native logits: what the model gives at every position, as raw numbers.
#include <algorithm>
#include <memory>
#include <optional>

#include "core/base/printable.hpp"
#include "native/commands/command.hpp"
#include "native/files/output_file.hpp"
#include "native/loading/load_model.hpp"
#include "native/loading/prompt_model.hpp"
#include "native/terminal/signals.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

struct LogitsOptions {
    ModelOptions model;
    PromptOptions prompt;
    std::optional<std::string> out;
    bool json = false;
};

int run(const LogitsOptions& options, Console& console) {
    const Prompt prompt = options.prompt.read(false, console);
    if (!options.out) throw_error(ErrorKind::range, "is needed: the file to write", {.field = "--out"});
    const PromptModel loaded = load_prompt_model(options.model, options.prompt, prompt, console);
    const std::vector<TokenId>& ids = loaded.prompt_ids;
    OutputFile out(*options.out, "--out");
    KvCache cache(loaded.model.config());
    Workspace workspace;
    Matrix logits;
    // In blocks: the same bits as in one call, without holding T × V numbers.
    constexpr std::size_t kBlock = 256;
    for (std::size_t at = 0; at < ids.size(); at += kBlock) {
        throw_if_stopped();
        const auto block = std::span(ids).subspan(at, std::min(kBlock, ids.size() - at));
        loaded.model.forward(block, cache, LogitsFor::all, logits, workspace);
        out.write({reinterpret_cast<const char*>(logits.data()), logits.size() * sizeof(float)});
    }
    out.commit();
    Json found;
    found["shape"] = {ids.size(), loaded.model.config().vocab_size};
    found["kv_bytes"] = cache.bytes_used();
    found["k_shape"] = cache.k_shape();
    if (options.json) {
        print_json(console, found);
    } else {
        console.out.line(printable(*options.out) + ": logits " + shape_string(found["shape"]) +
                         ", float32; the KV cache holds " + grouped(cache.bytes_used()) +
                         " bytes, K of layer 0 is " + shape_string(found["k_shape"]));
    }
    return kDone;
}

}  // namespace

void add_logits(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<LogitsOptions>();
    CLI::App& command = add_command(app, "logits", "Write the logits of every position to a file",
                                    "(--ids LIST | --prompt TEXT) --out FILE [options]",
                                    "mm-native logits --prompt 민수는 --out logits.bin");
    add_prompt_options(command, options->prompt, false);
    add_option(
        command,
        {"--out", "FILE", "written whole or not at all: raw little-endian float32, [positions, vocabulary]"},
        options->out);
    add_json_switch(command, "shape, kv_bytes, k_shape", options->json);
    add_model_options(command, options->model, "demo:pretrain");
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
