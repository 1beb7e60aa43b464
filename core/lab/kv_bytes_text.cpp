// Step 4 in the report: the bytes beside their formula, in Korean.
#include "core/lab/kv_bytes.hpp"

#include "core/base/join.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/markdown.hpp"

namespace mm {

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
