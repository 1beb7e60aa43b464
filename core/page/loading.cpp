// Files in: checkpoints, tokenizers, documents.
#include <utility>

#include "core/lab/documents.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/model/weights.hpp"
#include "core/page/params.hpp"
#include "core/page/workbench.hpp"
#include "core/tensor/instruction_set.hpp"

namespace mm::page {
namespace {

const File& required_file(const Files& files, const char* name) {
    const auto found = files.find(name);
    if (found == files.end()) throw_error(ErrorKind::range, "no file was given", {.field = name});
    return found->second;
}

Json config_json(const ModelConfig& c) {
    return Fields()
        .set("vocab_size", c.vocab_size)
        .set("hidden_size", c.hidden_size)
        .set("num_hidden_layers", c.num_hidden_layers)
        .set("num_attention_heads", c.num_attention_heads)
        .set("num_key_value_heads", c.num_key_value_heads)
        .set("head_dim", c.head_dim)
        .set("intermediate_size", c.intermediate_size)
        .set("max_position_embeddings", c.max_position_embeddings)
        .set("rms_norm_eps", c.rms_norm_eps)
        .set("rope_theta", c.rope_theta)
        .set("tie_word_embeddings", c.tie_word_embeddings)
        .set("use_moe", c.use_moe)
        .set("num_experts", c.num_experts)
        .set("num_experts_per_tok", c.num_experts_per_tok);
}

ModelConfig config_of(const TensorTable& table, const Files& files) {
    const auto found = files.find("config");
    if (found == files.end()) return ModelConfig::from_checkpoint(table, nullptr, "", {});
    const File& file = found->second;
    const Json values = parse_json(as_text(file.bytes), file.name);
    return ModelConfig::from_checkpoint(table, &values, file.name, {});
}

// Where no instruction widens float16, small weights are worth their double size: products of few rows over
// weights in the caches are up to three times faster (core/tensor/instruction_set.hpp). Large ones are read
// from memory each time, and their double size may not fit a phone.
LoadOptions load_options(const ModelConfig& config, const File& checkpoint) {
    constexpr std::uint64_t kSmall = 16'000'000;  // parameters
    LoadOptions options;
    if (!widens_float16() && config.parameter_count() <= kSmall) options.keep = Keep::float32;
    options.memory = checkpoint.memory;
    options.memory_bytes = checkpoint.memory_bytes;
    return options;
}

void check_role(const std::string& role) {
    if (role != "pretrain" && role != "sft") {
        throw_error(ErrorKind::range, "must be 'pretrain' or 'sft'", {.field = "role"});
    }
}

Json load(Workbench& bench, const Json& params, const Files& files) {
    const std::string role = text(params, "role");
    check_role(role);
    const File& tokenizer_file = required_file(files, "tokenizer");
    const File& checkpoint = required_file(files, "checkpoint");
    Tokenizer tokenizer = Tokenizer::from_json(as_text(tokenizer_file.bytes), tokenizer_file.name);
    const TensorTable table = read_checkpoint(checkpoint.bytes, checkpoint.name);
    const ModelConfig config = config_of(table, files);
    const std::string misfit = tokenizer.misfit(config.vocab_size, checkpoint.name);
    if (!misfit.empty()) throw_error(ErrorKind::tokenizer, misfit, {.file = tokenizer_file.name});
    Model model(table, config, std::make_shared<ThreadPool>(), load_options(config, checkpoint));
    Json info = Fields()
                    .set("role", role)
                    .set("file", checkpoint.name)
                    .set("fileBytes", checkpoint.bytes.size())
                    .set("format", table.format())
                    .set("dtype", table.common_dtype())
                    .set("architecture", config.architecture())
                    .set("parameters", config.parameter_count())
                    .set("weightBytes", model.weight_bytes())
                    .set("config", config_json(config))
                    .set("kvBytesPerToken", config.kv_bytes(1))
                    .set("ignoredTensors", model.ignored_tensors());
    bench.forget_work();
    if (role == "pretrain") bench.scene.reset();
    bench.models[role] = std::make_unique<Loaded>(Loaded{std::move(model), std::move(tokenizer)});
    return info;
}

Json unload(Workbench& bench, const Json& params, const Files&) {
    const std::string role = text(params, "role");
    check_role(role);
    bench.forget_work();
    if (role == "pretrain") bench.scene.reset();
    bench.models.erase(role);
    return nullptr;
}

Json load_documents(Workbench& bench, const Json&, const Files& files) {
    const File& file = required_file(files, "file");
    std::vector<std::string> documents = read_documents(as_text(file.bytes), file.name, kLabDocuments);
    bench.forget_work();
    bench.documents = std::move(documents);
    return bench.documents.size();
}

Json tokens(Workbench& bench, const Json& params, const Files&) {
    const Loaded& loaded = bench.loaded(text(params, "role"));
    return list_of(bench.prompt_ids(object(params, "prompt"), loaded),
                   [&](TokenId id) { return token_json(id, loaded.tokenizer); });
}

constexpr NamedCall kCalls[] = {
    {"load", load}, {"unload", unload}, {"loadDocuments", load_documents}, {"tokens", tokens}};

}  // namespace

std::span<const NamedCall> loading_calls() {
    return kCalls;
}

}  // namespace mm::page
