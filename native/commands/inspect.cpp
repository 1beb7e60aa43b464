// mm-native inspect: what a checkpoint is, whether it loads, and how many readers a card holds.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/base/join.hpp"
#include "core/base/printable.hpp"
#include "core/lab/readers.hpp"
#include "core/model/model.hpp"
#include "native/commands/command.hpp"
#include "native/loading/checkpoint.hpp"
#include "native/loading/load_model.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

struct InspectOptions {
    ModelOptions model;
    std::optional<double> card_gb;
    std::optional<std::int64_t> context;
    bool json = false;
};

Json config_json(const ModelConfig& c) {
    Json json;
    json["vocab_size"] = c.vocab_size;
    json["hidden_size"] = c.hidden_size;
    json["num_hidden_layers"] = c.num_hidden_layers;
    json["num_attention_heads"] = c.num_attention_heads;
    json["num_key_value_heads"] = c.num_key_value_heads;
    json["head_dim"] = c.head_dim;
    json["intermediate_size"] = c.intermediate_size;
    json["max_position_embeddings"] = c.max_position_embeddings;
    json["rms_norm_eps"] = c.rms_norm_eps;
    json["rope_theta"] = c.rope_theta;
    json["inference_rope_scaling"] = c.rope_scaling.has_value();
    json["tie_word_embeddings"] = c.tie_word_embeddings;
    json["use_moe"] = c.use_moe;
    if (c.use_moe) {
        json["num_experts"] = c.num_experts;
        json["num_experts_per_tok"] = c.num_experts_per_tok;
        json["norm_topk_prob"] = c.norm_topk_prob;
    }
    return json;
}

Json tensors_json(const TensorTable& table) {
    Json tensors = Json::array();
    for (const auto& entry : table.entries()) {
        tensors.push_back(
            {{"name", entry.name}, {"dtype", std::string(entry.dtype)}, {"shape", entry.shape}});
    }
    return tensors;
}

void print_for_people(Console& console, const Json& found, const InspectOptions& options) {
    const auto text = [](const Json& value) {
        return value.is_string() ? printable(value.get<std::string>()) : value.dump();
    };
    Rows rows;
    rows.add("format", text(found["format"]));
    if (!found["architecture"].is_null()) {
        rows.add("architecture", text(found["architecture"]));
        rows.add("parameters", grouped(found["parameters"].get<std::uint64_t>()));
    }
    rows.add("dtype", text(found["dtype"]));
    for (const auto& [name, value] : found["config"].items()) rows.add(name, text(value));
    if (!found["kv_bytes_per_token"].is_null()) {
        rows.add("KV cache", grouped(found["kv_bytes_per_token"].get<std::uint64_t>()) +
                                 " bytes a token = 2 × layers × KV heads × head_dim × 4");
    }
    if (!found["readers"].is_null()) {
        rows.add("readers", grouped(found["readers"].get<std::uint64_t>()) + " of " +
                                grouped(static_cast<std::uint64_t>(*options.context)) +
                                " tokens each on a card of " + Json(*options.card_gb).dump() +
                                " GB (10^9 bytes), float32 weights and caches; an estimate");
    }
    console.out.write(rows.text(console.columns()));
    console.out.line("");
    Rows tensors;
    for (const Json& tensor : found["tensors"]) {
        tensors.add(text(tensor["name"]), text(tensor["dtype"]) + " " + shape_string(tensor["shape"]));
    }
    console.out.write(tensors.text(console.columns()));
}

int run(const InspectOptions& options, Console& console) {
    if (options.card_gb.has_value() != options.context.has_value()) {
        throw_error(ErrorKind::range, join({"needs ", options.card_gb ? "--context" : "--card-gb"}),
                    {.field = options.card_gb ? "--card-gb" : "--context"});
    }
    if (options.card_gb && *options.card_gb < 0) {
        throw_error(ErrorKind::range, "must be 0 or more", {.field = "--card-gb"});
    }
    const Checkpoint checkpoint(options.model.model.value_or("demo:pretrain"), options.model.config);
    Json found;
    found["format"] = checkpoint.table().format();
    for (const char* key : {"architecture", "config", "parameters"}) found[key] = nullptr;
    found["dtype"] = checkpoint.table().common_dtype();
    found["tensors"] = tensors_json(checkpoint.table());
    for (const char* key : {"kv_bytes_per_token", "readers"}) found[key] = nullptr;
    // What the tensors are is shown even when they make no model; why not is the error that ends the command.
    std::optional<Error> error;
    try {
        const ModelConfig config = checkpoint.model_config(options.model.values);
        found["architecture"] = config.architecture();
        found["config"] = config_json(config);
        found["parameters"] = config.parameter_count();
        found["kv_bytes_per_token"] = config.kv_bytes(1);
        if (options.card_gb)
            found["readers"] = readers_on_card(config, *options.card_gb, *options.context).readers;
        make_model(checkpoint, config, make_thread_pool(options.model));
    } catch (const Error& failure) {
        if (failure.kind() == ErrorKind::range) throw;  // an option's value; nothing of the checkpoint
        error = failure;
    }
    if (options.json) {
        print_json(console, found);
    } else {
        print_for_people(console, found, options);
    }
    console.out.flush();
    if (error) throw *error;
    return kDone;
}

}  // namespace

void add_inspect(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<InspectOptions>();
    CLI::App& command = add_command(app, "inspect", "Show what a checkpoint is and whether it loads",
                                    "[--model FILE] [--card-gb N --context C] [options]",
                                    "mm-native inspect --model pretrain.pth --card-gb 24 --context 4096");
    add_option(
        command,
        {"--card-gb", "N",
         "memory of a card in GB (10^9 bytes): how many readers, each with a cache of --context tokens, it "
         "holds beside the weights"},
        options->card_gb);
    add_option(command, {"--context", "C", "tokens of a reader"}, options->context,
               {1, std::int64_t{1} << 40});
    add_json_switch(command,
                    "format, architecture, config, parameters, dtype, tensors, kv_bytes_per_token, readers",
                    options->json);
    add_model_option(command, options->model, "demo:pretrain");
    add_loading_options(command, options->model);
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
