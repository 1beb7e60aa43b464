#include "core/lab/kv_bytes.hpp"

#include <span>
#include <vector>

#include "core/base/join.hpp"
#include "core/base/json_fields.hpp"
#include "core/decode/torch_generator.hpp"
#include "core/lab/json_text.hpp"

namespace mm {
namespace {

std::vector<TokenId> random_ids(std::int64_t vocab_size) {
    constexpr std::int64_t kFirst = 3;  // after the three special tokens
    if (vocab_size <= kFirst) {
        throw_error(ErrorKind::range, "the vocabulary has no id above 2 to draw", {.field = "vocab_size"});
    }
    TorchGenerator generator;
    generator.manual_seed(0);
    std::vector<TokenId> ids(static_cast<std::size_t>(kLabCacheTokens));
    for (TokenId& id : ids) id = static_cast<TokenId>(generator.randint(kFirst, vocab_size));
    return ids;
}

}  // namespace

std::uint64_t KvBytesResult::formula_bytes() const {
    return static_cast<std::uint64_t>(2 * num_hidden_layers * tokens * num_key_value_heads * head_dim * 4);
}

std::uint64_t KvBytesResult::repeated_bytes() const {
    return formula_bytes() / static_cast<std::uint64_t>(num_key_value_heads) *
           static_cast<std::uint64_t>(num_attention_heads);
}

KvBytesResult run_kv_bytes(const LabContext& context) {
    const Model& model = required(context.pretrain, "pretrained model");
    const ModelConfig& config = model.config();
    context.progress("kvbytes", 0);
    const std::vector<TokenId> ids = random_ids(config.vocab_size);
    KvCache cache(config);
    Workspace workspace;
    Matrix logits;
    model.forward(ids, cache, LogitsFor::none, logits, workspace);
    context.progress("kvbytes", 1);
    return {.tokens = static_cast<std::int64_t>(cache.length()),
            .measured_bytes = cache.bytes_used(),
            .reserved_bytes = cache.bytes_reserved(),
            .k_shape = cache.k_shape(),
            .num_hidden_layers = config.num_hidden_layers,
            .num_key_value_heads = config.num_key_value_heads,
            .head_dim = config.head_dim,
            .num_attention_heads = config.num_attention_heads};
}

std::string to_json(const KvBytesResult& result) {
    return json_text(JsonFields()
                         .set("tokens", result.tokens)
                         .set("measured_bytes", result.measured_bytes)
                         .set("formula_bytes", result.formula_bytes())
                         .set("k_shape", result.k_shape));
}

}  // namespace mm
