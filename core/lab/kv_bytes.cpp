#include "core/lab/kv_bytes.hpp"

#include <span>
#include <vector>

#include "core/base/join.hpp"
#include "core/base/json_fields.hpp"
#include "core/decode/torch_generator.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/markdown.hpp"

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

std::string to_markdown(const KvBytesResult& result) {
    const std::string shape = json_text(result.k_shape);  // ends with a newline
    std::string text =
        table_row({"`measured_bytes`", "`formula_bytes`", "첫 층 K의 모양 (배치, 길이, KV 헤드, head_dim)"});
    text += table_row({"--:", "--:", ":--"});
    text += table_row({result.measured_bytes, result.formula_bytes(), shape.substr(0, shape.size() - 1)});
    text += '\n';
    text += join({"토큰 ", result.tokens, "개를 넣은 뒤 K와 V가 실제로 차지한 바이트입니다. 식은 2 × ",
                  result.num_hidden_layers, "층 × ", result.tokens, "토큰 × KV 헤드 ",
                  result.num_key_value_heads, "개 × head_dim ", result.head_dim,
                  " × 4바이트 = ", result.formula_bytes(), "바이트로, 잰 값과 "});
    text += result.measured_bytes == result.formula_bytes() ? "같습니다." : "**다릅니다**.";
    text += join({" 토큰이 하나 늘 때마다 ",
                  result.formula_bytes() / static_cast<std::uint64_t>(result.tokens), "바이트씩 커집니다."});
    if (result.num_attention_heads != result.num_key_value_heads) {
        text += join({" 캐시는 `repeat_kv` 전의 K와 V를 담습니다. 그 뒤에 재었다면 질의 헤드 ",
                      result.num_attention_heads, "개만큼 늘어 ", result.repeated_bytes(),
                      "바이트가 되었을 것입니다."});
    } else {
        text += " 이 모델은 KV 헤드와 질의 헤드의 수가 같아 `repeat_kv`가 늘리는 것이 없습니다.";
    }
    if (result.reserved_bytes > result.measured_bytes) {
        text += join({" 앞으로 쓰려고 미리 잡아 둔 자리까지 더하면 ", result.reserved_bytes,
                      "바이트이지만, 위의 값에는 넣지 않았습니다."});
    }
    return join({text, "\n"});
}

}  // namespace mm
