// Files in: opening a model is one act, of a tokenizer, one or two checkpoints and documents.
#include <algorithm>
#include <utility>

#include "core/base/join.hpp"
#include "core/checkpoint/shards.hpp"
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

/// A checkpoint as it came: one file, or the index of shards that came beside it as "pretrain/0",
/// "pretrain/1", ….
struct Checkpoint {
    const File& file;
    std::vector<const File*> shards = {};

    Checkpoint(const Files& files, const char* role) : file(required_file(files, role)) {
        if (!in_shards()) return;
        const std::string prefix = join({role, "/"});
        for (auto at = files.lower_bound(prefix); at != files.end() && at->first.starts_with(prefix); ++at) {
            shards.push_back(&at->second);
        }
    }

    bool in_shards() const { return is_shard_index(file.name); }

    TensorTable read() const {
        if (!in_shards()) return read_checkpoint(file.bytes, file.name);
        const ShardIndex index = read_shard_index(as_text(file.bytes), file.name);
        std::vector<TensorTable> tables;
        for (const std::string& name : index.shards()) {
            const auto shard = std::find_if(shards.begin(), shards.end(),
                                            [&](const File* given) { return given->name == name; });
            if (shard == shards.end()) shard_is_missing(index, name);
            tables.push_back(read_shard((*shard)->bytes, name));
        }
        return join_shards(index, tables);
    }

    std::uint64_t bytes() const {
        std::uint64_t sum = file.bytes.size();
        for (const File* shard : shards) sum += shard->bytes.size();
        return sum;
    }
};

// Where no instruction widens float16, small weights are worth their double size: products of few rows over
// weights in the caches are up to three times faster (core/tensor/instruction_set.hpp). Large ones are read
// from memory each time, and their double size may not fit a phone.
LoadOptions load_options(const ModelConfig& config, const Checkpoint& checkpoint) {
    constexpr std::uint64_t kSmall = 16'000'000;  // parameters
    LoadOptions options;
    if (!widens_float16() && config.parameter_count() <= kSmall) options.keep = Keep::float32;
    if (checkpoint.in_shards()) return options;  // packing in place is for weights in one file
    options.memory = checkpoint.file.memory;
    options.memory_bytes = checkpoint.file.memory_bytes;
    return options;
}

Json file_json(const File& file) {
    return Fields().set("file", file.name).set("fileBytes", file.bytes.size());
}

struct OpenedModel {
    std::shared_ptr<const Model> model;
    Json told;  // an api.ts ModelInfo
};

OpenedModel open_model(const Checkpoint& checkpoint, const Tokenizer& tokenizer,
                       const std::string& tokenizer_name, const Files& files) {
    const TensorTable table = checkpoint.read();
    const std::string& file = checkpoint.file.name;
    const ModelConfig config = config_of(table, files);
    const std::string misfit = tokenizer.misfit(config.vocab_size, file);
    if (!misfit.empty()) throw_error(ErrorKind::tokenizer, misfit, {.file = tokenizer_name});
    auto model = std::make_shared<const Model>(table, config, std::make_shared<ThreadPool>(),
                                               load_options(config, checkpoint));
    Json told = Fields()
                    .set("file", file)
                    .set("fileBytes", checkpoint.bytes())
                    .set("format", table.format())
                    .set("dtype", table.common_dtype())
                    .set("architecture", config.architecture())
                    .set("parameters", config.parameter_count())
                    .set("weightBytes", model->weight_bytes())
                    .set("config", config_json(config))
                    .set("kvBytesPerToken", config.kv_bytes(1))
                    .set("ignoredTensors", model->ignored_tensors());
    return {std::move(model), std::move(told)};
}

// What was opened before stays until nothing can fail any more.
Json open(Workbench& bench, const Json& params, const Files& files) {
    const File& tokenizer = required_file(files, "tokenizer");
    const Checkpoint pretrain(files, "pretrain");
    const auto documents = files.find("documents");
    const bool own = truth(params, "own");
    const bool later = truth(params, "sftLater");

    auto next =
        std::make_unique<Opened>(Opened{Tokenizer::from_json(as_text(tokenizer.bytes), tokenizer.name)});
    Json told_documents;
    if (documents != files.end()) {
        const File& file = documents->second;
        next->documents = read_documents(as_text(file.bytes), file.name, kLabDocuments);
        told_documents = file_json(file);
        told_documents["count"] = next->documents.size();
    }
    OpenedModel first = open_model(pretrain, next->tokenizer, tokenizer.name, files);
    OpenedModel second = later ? OpenedModel{} : first;
    if (files.contains("sft")) {
        second = open_model(Checkpoint(files, "sft"), next->tokenizer, tokenizer.name, files);
    }
    next->pretrain = std::move(first.model);
    next->sft = std::move(second.model);
    next->told = Fields()
                     .set("number", bench.openings + 1)
                     .set("own", own)
                     .set("pretrain", std::move(first.told))
                     .set("sft", std::move(second.told))
                     .set("tokenizer", file_json(tokenizer))
                     .set("documents", std::move(told_documents));
    Json told = next->told;
    bench.forget_work();
    bench.opened = std::move(next);
    ++bench.openings;
    return told;
}

// The SFT checkpoint that `open` was told would come later; with the tokenizer that is there.
Json open_sft(Workbench& bench, const Json&, const Files& files) {
    bench.loaded("pretrain");
    Opened& opened = *bench.opened;
    OpenedModel sft = open_model(Checkpoint(files, "checkpoint"), opened.tokenizer,
                                 opened.told["tokenizer"]["file"], files);
    Json told = opened.told;
    told["sft"] = std::move(sft.told);
    Json reply = told;
    if (opened.sft) {  // whatever looks at the one before ends
        bench.task.reset();
        bench.reference.reset();
    }
    opened.sft = std::move(sft.model);
    opened.told = std::move(told);
    return reply;
}

Json opened(Workbench& bench, const Json&, const Files&) {
    return bench.opened ? bench.opened->told : Json();
}

Json tokens(Workbench& bench, const Json& params, const Files&) {
    const Loaded loaded = bench.loaded("pretrain");
    return list_of(bench.prompt_ids(object(params, "prompt"), loaded),
                   [&](TokenId id) { return token_json(id, loaded.tokenizer); });
}

constexpr NamedCall kCalls[] = {
    {"open", open}, {"openSft", open_sft}, {"opened", opened}, {"tokens", tokens}};

}  // namespace

std::span<const NamedCall> open_calls() {
    return kCalls;
}

}  // namespace mm::page
