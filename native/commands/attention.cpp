// mm-native attention: which tokens a token looks at, in one layer and head.
#include "core/why/attention.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/base/printable.hpp"
#include "core/why/table.hpp"
#include "native/commands/command.hpp"
#include "native/loading/memory.hpp"
#include "native/loading/prompt_model.hpp"
#include "native/terminal/signals.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;

struct AttentionOptions {
    ModelOptions model;
    PromptOptions prompt;
    std::optional<std::int64_t> layer;
    std::optional<std::int64_t> head;
    bool json = false;
};

std::string right(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// The triangle in percent, a row for each token that looks. Where the terminal is too narrow the oldest
/// columns are told as one, "before".
std::string triangle(const why::Attention& found, const std::vector<TokenId>& ids, const Tokenizer* tokenizer,
                     int columns) {
    const std::size_t tokens = ids.size();
    std::vector<std::string> names;
    std::size_t width = 0;
    for (const TokenId id : ids) {
        names.push_back(tokenizer != nullptr ? printable(tokenizer->decode({&id, 1}, false))
                                             : std::to_string(id));
        width = std::max(width, display_width(names.back()));
    }
    const std::size_t digits = std::max<std::size_t>(std::to_string(tokens - 1).size(), 3) + 1;
    const std::size_t left = digits + 2 + width;
    const auto room = static_cast<std::size_t>(std::max(columns, 40));
    std::size_t shown = std::min(tokens, (room - std::min(room - digits, left)) / digits);
    if (shown < tokens) shown = std::max<std::size_t>(shown, 3) - 2;  // "before" takes two
    const std::size_t from = tokens - shown;

    const auto percent = [](double share) { return std::to_string(static_cast<int>(share * 100 + 0.5)); };
    std::string out = std::string(left, ' ');
    if (from > 0) out += right("before", 2 * digits);
    for (std::size_t c = from; c < tokens; ++c) out += right(std::to_string(c), digits);
    out += "\n";
    for (std::size_t r = 0; r < tokens; ++r) {
        out += right(std::to_string(r), digits) + "  " + names[r] +
               std::string(width - display_width(names[r]), ' ');
        if (from > 0) {
            double before = 0;
            for (std::size_t c = 0; c < std::min(from, r + 1); ++c) before += double{found.weights(r, c)};
            out += right(percent(before), 2 * digits);
        }
        for (std::size_t c = from; c <= r; ++c) out += right(percent(double{found.weights(r, c)}), digits);
        out += "\n";
    }
    return out;
}

std::size_t needed_index(const char* option, const std::optional<std::int64_t>& value, std::int64_t count) {
    if (!value) throw_error(ErrorKind::range, "is needed", {.field = option});
    return index_below(option, *value, count);
}

int run(const AttentionOptions& options, Console& console) {
    const Prompt prompt = options.prompt.read(false, console);
    const PromptModel loaded = load_prompt_model(options.model, options.prompt, prompt, console);
    const ModelConfig& config = loaded.model.config();
    const std::size_t layer = needed_index("--layer", options.layer, config.num_hidden_layers);
    const std::size_t head = needed_index("--head", options.head, config.num_attention_heads);
    const std::vector<TokenId>& ids = loaded.prompt_ids;
    require_memory_for_reference(config, std::uint64_t{2} * ids.size() * ids.size(),
                                 options.model.model.value_or("demo:pretrain"));
    const reference::Weights weights(loaded.model);
    const why::Attention found = run_until_stopped(why::attention_in_steps(weights, ids, layer, head));
    if (options.json) {
        print_json(console, why::to_json(found, layer, head));
        return kDone;
    }
    console.out.write(
        wrapped("Layer " + std::to_string(layer) + ", head " + std::to_string(head) +
                    ", which reads K and V of head " + std::to_string(found.kv_head) +
                    ": what each token (row) gives to itself and those before it, in percent. No token "
                    "sees a later one. With the cache only the last row is computed; without it, every "
                    "row again.",
                static_cast<std::size_t>(std::max(console.columns(), 40)), 0) +
        "\n");
    console.out.write("\n" + triangle(found, ids, loaded.tokenizer_or_null(), console.columns()));
    return kDone;
}

}  // namespace

void add_attention(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<AttentionOptions>();
    CLI::App& command =
        add_command(app, "attention", "Show which tokens each token looks at, in one layer and head",
                    "(--ids LIST | --prompt TEXT) --layer L --head H [options]",
                    "mm-native attention --prompt '민수는 강아지' --layer 0 --head 0");
    add_prompt_options(command, options->prompt, false);
    add_option(command, {"--layer", "L", "from 0"}, options->layer, {0, kMostIndex});
    add_option(command, {"--head", "H", "a query head, from 0"}, options->head, {0, kMostIndex});
    add_json_switch(command, "layer, head, weights [T][T], k and v [T][head_dim]", options->json);
    add_model_options(command, options->model, "demo:pretrain");
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
