// Files in: checkpoints, tokenizers, documents; and prompts as ids.
#include <cstdlib>
#include <utility>

#include "core/lab/candidates.hpp"
#include "core/lab/documents.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/text/chat.hpp"
#include "wasm/bindings/module.hpp"

namespace mm::wasm {
namespace {

constexpr std::int64_t kLargest = UINT32_MAX;

/// A file's bytes that the client put into the module's memory: {at, size, name}. Freed here.
class File {
  public:
    explicit File(const Json& place)
        : memory_(
              reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(integer(place, "at", 1, kLargest))),
              std::free),
          size_(static_cast<std::size_t>(integer(place, "size", 0, kLargest))),
          name_(text(place, "name")) {}
    Bytes bytes() const { return {memory_.get(), size_}; }
    const std::string& name() const { return name_; }

  private:
    std::unique_ptr<std::byte, decltype(&std::free)> memory_;
    std::size_t size_;
    std::string name_;
};

std::optional<File> optional_file(const Json& params, const char* name) {
    const auto found = params.find(name);
    if (found == params.end() || found->is_null()) return std::nullopt;
    return File(*found);
}

Json config_json(const ModelConfig& c) {
    return {{"vocab_size", c.vocab_size},
            {"hidden_size", c.hidden_size},
            {"num_hidden_layers", c.num_hidden_layers},
            {"num_attention_heads", c.num_attention_heads},
            {"num_key_value_heads", c.num_key_value_heads},
            {"head_dim", c.head_dim},
            {"intermediate_size", c.intermediate_size},
            {"max_position_embeddings", c.max_position_embeddings},
            {"rms_norm_eps", c.rms_norm_eps},
            {"rope_theta", c.rope_theta},
            {"tie_word_embeddings", c.tie_word_embeddings},
            {"use_moe", c.use_moe},
            {"num_experts", c.num_experts},
            {"num_experts_per_tok", c.num_experts_per_tok}};
}

Json load(const Json& params) {
    const File checkpoint(object(params, "checkpoint"));
    const File tokenizer_file(object(params, "tokenizer"));
    const std::optional<File> config_file = optional_file(params, "config");
    const std::string role = text(params, "role");
    if (role != "pretrain" && role != "sft") {
        throw Error(ErrorKind::range, "must be 'pretrain' or 'sft'", {.field = "role"});
    }
    Tokenizer tokenizer = Tokenizer::from_json(as_text(tokenizer_file.bytes()), tokenizer_file.name());
    const TensorTable table = read_checkpoint(checkpoint.bytes(), checkpoint.name());
    std::optional<Json> config_values;
    if (config_file) config_values = parse_json(as_text(config_file->bytes()), config_file->name());
    const ModelConfig config = ModelConfig::from_checkpoint(table, config_values ? &*config_values : nullptr,
                                                            config_file ? config_file->name() : "", {});
    const std::string misfit = tokenizer.misfit(config.vocab_size, checkpoint.name());
    if (!misfit.empty()) throw Error(ErrorKind::tokenizer, misfit, {.file = tokenizer_file.name()});
    Model model(table, config, std::make_shared<ThreadPool>());
    Json info = {{"role", role},
                 {"file", checkpoint.name()},
                 {"fileBytes", checkpoint.bytes().size()},
                 {"format", table.format()},
                 {"dtype", table.common_dtype()},
                 {"architecture", config.architecture()},
                 {"parameters", config.parameter_count()},
                 {"weightBytes", model.weight_bytes()},
                 {"config", config_json(config)},
                 {"kvBytesPerToken", config.kv_bytes(1)},
                 {"ignoredTensors", model.ignored_tensors()}};
    if (role == "pretrain") module().scene.reset();
    module().models[role] = std::make_unique<Loaded>(Loaded{std::move(model), std::move(tokenizer)});
    return info;
}

Json unload(const Json& params) {
    const std::string role = text(params, "role");
    if (role == "pretrain") module().scene.reset();
    module().models.erase(role);
    return nullptr;
}

Json load_documents(const Json& params) {
    const File file(object(params, "file"));
    std::vector<std::string> documents = read_documents(as_text(file.bytes()), file.name(), kLabDocuments);
    module().documents = std::move(documents);
    return module().documents.size();
}

Json tokens(const Json& params) {
    Loaded& loaded = module().loaded(text(params, "role"));
    return tokens_json(prompt_ids(object(params, "prompt"), loaded), loaded.tokenizer);
}

}  // namespace

std::vector<TokenId> prompt_ids(const Json& prompt, Loaded& loaded) {
    const std::string kind = text(prompt, "kind");
    if (kind == "lab") return lab_prompt(module().context());
    if (kind == "ids") {
        const auto ids = integers(prompt, "ids", 0, loaded.model.config().vocab_size - 1);
        return {ids.begin(), ids.end()};
    }
    const std::string words = text(prompt, "text");
    if (kind == "chat") return loaded.tokenizer.encode(chat_text("chatml", words), false);
    if (kind != "text") throw Error(ErrorKind::range, "must be lab, text, ids or chat", {.field = "kind"});
    std::vector<TokenId> ids = loaded.tokenizer.encode(words, false);
    ids.insert(ids.begin(), kLabBos);
    return ids;
}

Json token_json(TokenId id, const Tokenizer& tokenizer) {
    const std::string bytes = tokenizer.bytes(id);
    return {{"id", id},
            {"text", text_of(tokenizer, id)},
            {"bytes", std::vector<unsigned char>(bytes.begin(), bytes.end())},
            {"special", tokenizer.is_special(id)}};
}

Json tokens_json(const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
    Json list = Json::array();
    for (const TokenId id : ids) list.push_back(token_json(id, tokenizer));
    return list;
}

std::vector<NamedCall> loading_calls() {
    return {{"load", load}, {"unload", unload}, {"loadDocuments", load_documents}, {"tokens", tokens}};
}

}  // namespace mm::wasm
