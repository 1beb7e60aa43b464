// mm-native why: what changes an answer and what does not, each experiment beside the unchanged run.
#include <memory>
#include <optional>

#include "core/why/table.hpp"
#include "native/commands/command.hpp"
#include "native/loading/memory.hpp"
#include "native/loading/prompt_model.hpp"
#include "native/terminal/signals.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;
constexpr TokenId kBos = 1;  // <|im_start|>

struct WhyOptions {
    ModelOptions model;
    std::string text = "민수는 강아지 보리와";
    std::optional<std::string> experiments;
    std::optional<std::int64_t> layer;
    std::optional<std::int64_t> head;
    bool json = false;
};

/// Old K and V of every layer, the rows of one head, with the causal mask and without.
struct OldKvPair {
    std::size_t layer, kv_head;
    why::OldKv causal, without_mask;
};

Json to_json(const why::OldKv& found) {
    Json layers = Json::array();
    for (const why::LayerDifference& layer : found.layers) {
        layers.push_back({{"bits_differing", layer.bits_differing},
                          {"largest_k", layer.largest_k},
                          {"largest_v", layer.largest_v}});
    }
    return {{"bits", found.bits},
            {"bits_differing", found.bits_differing},
            {"largest_logit_difference", found.largest_logit_difference},
            {"layers", std::move(layers)},
            {"k_stored", why::to_json(found.k_stored)},
            {"k_again", why::to_json(found.k_again)},
            {"v_stored", why::to_json(found.v_stored)},
            {"v_again", why::to_json(found.v_again)}};
}

std::string old_kv_text(const OldKvPair& pair, int columns) {
    Rows rows;
    const auto line = [&](const char* label, const why::OldKv& found) {
        rows.add(label,
                 grouped(found.bits_differing) + " of " + grouped(found.bits) +
                     " bits of old K and V change when they are computed again; with and without the cache "
                     "the next logits differ by " +
                     why::difference_text(found.largest_logit_difference));
    };
    line("causal mask", pair.causal);
    line("no mask", pair.without_mask);
    return rows.text(columns);
}

int run(const WhyOptions& options, Console& console) {
    PromptOptions given;
    given.prompt = options.text;
    const Prompt prompt = given.read(false, console);
    const PromptModel loaded = load_prompt_model(options.model, given, prompt, console);
    const ModelConfig& config = loaded.model.config();
    require_memory_for_reference(config, 0, options.model.model.value_or("demo:pretrain"));
    const reference::Weights weights(loaded.model);
    why::Subject subject;
    subject.prompt = loaded.prompt_ids;
    subject.left_over = why::left_over_ids(*loaded.tokenizer, kBos);
    why::Experiments experiments(weights, std::move(subject));

    std::vector<std::string> names = why::default_experiments(config.num_hidden_layers);
    if (options.experiments) {
        names = parse_list("--experiments", *options.experiments);
        if (names.empty()) {
            throw_error(ErrorKind::range, "at least one experiment is needed", {.field = "--experiments"});
        }
    }
    // Before any takes its time.
    for (const std::string& name : names) why::kind_of(name, config);
    const std::size_t layer = index_below("--layer", options.layer.value_or(0), config.num_hidden_layers);
    const std::size_t head = index_below("--head", options.head.value_or(0), config.num_attention_heads);
    std::vector<why::Result> results;
    for (const std::string& name : names) results.push_back(run_until_stopped(experiments.in_steps(name)));

    std::optional<OldKvPair> old_kv;
    if (options.layer || options.head) {
        const auto group = static_cast<std::size_t>(config.num_attention_heads / config.num_key_value_heads);
        std::vector<TokenId> ids = loaded.prompt_ids;
        ids.insert(ids.end(), results.front().ids_control.begin(), results.front().ids_control.end());
        const auto look = [&](bool causal) {
            return run_until_stopped(
                why::old_kv_in_steps(weights, ids, loaded.prompt_ids.size(), layer, head / group, causal));
        };
        old_kv = OldKvPair{layer, head / group, look(true), look(false)};
    }
    if (options.json) {
        Json found = why::to_json(results);
        if (old_kv) {
            found["old_kv"] = {{"layer", old_kv->layer},
                               {"kv_head", old_kv->kv_head},
                               {"causal", to_json(old_kv->causal)},
                               {"without_mask", to_json(old_kv->without_mask)}};
        }
        print_json(console, found);
    } else {
        console.out.write(why::table_text(results, &*loaded.tokenizer));
        if (old_kv) console.out.write("\n" + old_kv_text(*old_kv, console.columns()));
    }
    return kDone;
}

}  // namespace

void add_why(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<WhyOptions>();
    CLI::App& command = add_command(
        app, "why", "Show what changes an answer and what does not, experiment by experiment",
        "[--prompt TEXT] [--experiments LIST] [options]", "mm-native why --experiments position-0,float16");
    add_option(command, {"--prompt", "TEXT", "a text: <|im_start|> and then the text's ids"}, options->text);
    add_option(
        command,
        {.name = "--experiments",
         .type = "LIST",
         .text =
             "of cache-off, cache-off-drawn, other-seed, other-temperature, position-0, k-before-rotation, "
             "fed-twice, left-over, no-mask, swapped-layer-L (from 1), float16, int8, window-W, "
             "window-W-pinned-N",
         .shown_default = "a table of all"},
        options->experiments);
    add_option(command, {"--layer", "L", "tells old K and V of this layer too, from 0"}, options->layer,
               {0, kMostIndex});
    add_option(command, {"--head", "H", "and of the K and V that this query head reads, from 0"},
               options->head, {0, kMostIndex});
    add_json_switch(
        command,
        "experiments[]: name, kind, first_difference (null: none), largest_difference, bits_equal, "
        "kv_bytes, kv_bytes_formula, kv_bytes_control, ids, ids_control; old_kv with --layer or --head",
        options->json);
    add_model_options(command, options->model, "demo:pretrain");
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
