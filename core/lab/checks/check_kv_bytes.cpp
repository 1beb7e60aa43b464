// Step 4, kvbytes.json: measured = formula = reference, and the shape before heads are repeated.
#include "core/lab/checks/check_kv_bytes.hpp"
#include "core/base/join.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/step_checks.hpp"

namespace mm::checks {
namespace {

constexpr Hints<12> kHints{{{
    Hint{"kv.tokens", "토큰 100개를 넣고 잽니다(bos 를 더하지 않습니다).", "应输入 100 个标记（不加 bos）。",
         "100 tokens are fed (no bos is added)."},
    Hint{"kv.after_repeat", "repeat_kv 다음의 크기입니다. 캐시는 헤드를 복제하기 전의 K 와 V 를 담습니다.",
         "这是 repeat_kv 之后的大小。缓存保存的是复制头之前的 K 和 V。",
         "This is the size after repeat_kv; the cache holds K and V before heads are repeated."},
    Hint{"kv.half", "꼭 절반입니다. K 와 V 를 다 더했는지, 원소가 4바이트(float32)인지 확인하세요.",
         "恰好是一半。请检查是否同时加了 K 和 V、元素是否为 4 字节（float32）。",
         "This is exactly half: add both K and V, and check that elements are 4 bytes (float32)."},
    Hint{"kv.elements", "바이트가 아니라 원소의 수입니다. 원소마다 4바이트입니다.",
         "这是元素个数而不是字节数。每个元素 4 字节。",
         "This is the number of elements, not bytes; each takes 4 bytes."},
    Hint{"kv.one_layer", "한 층만 잰 값입니다. 모든 층을 더하세요.", "只量了一层。请把所有层加起来。",
         "This is one layer only; add all layers."},
    Hint{"kv.one_token_more", "토큰이 하나 더 들어간 캐시의 크기입니다(bos 를 더하지 않습니다).",
         "这是多一个标记时的大小（不加 bos）。", "This is the size with one more token (no bos is added)."},
    Hint{"kv.hidden_size", "KV 헤드 × head_dim 대신 hidden_size 를 곱한 값입니다.",
         "用 hidden_size 代替了 KV 头数 × head_dim。",
         "This multiplies by hidden_size instead of KV heads × head_dim."},
    Hint{"kv.differs", "식(2 × 층 × 토큰 × KV 헤드 × head_dim × 4)이 이 모델에서 주는 값과 다릅니다.",
         "与公式（2 × 层 × 标记 × KV 头 × head_dim × 4）对该模型给出的值不同。",
         "This differs from what the formula (2 × layers × tokens × KV heads × head_dim × 4) gives for this "
         "model."},
    Hint{"kv.shape_repeated", "repeat_kv 다음의 모양입니다. KV 헤드의 수가 그대로여야 합니다.",
         "这是 repeat_kv 之后的形状。应为 KV 头数。",
         "This is the shape after repeat_kv; it has the KV heads only."},
    Hint{"kv.shape_transposed", "transpose 다음의 모양입니다. 순서는 (배치, 길이, KV 헤드, head_dim)입니다.",
         "这是 transpose 之后的形状。顺序为（批，长度，KV 头，head_dim）。",
         "This is the shape after transpose; the order is (batch, length, KV heads, head_dim)."},
    Hint{"kv.shape_flat", "헤드로 나누기 전의 모양입니다. 네 차원 (배치, 길이, KV 헤드, head_dim)입니다.",
         "这是分头之前的形状。应为四维（批，长度，KV 头，head_dim）。",
         "This is the shape before heads are split; it has four dimensions (batch, length, KV heads, "
         "head_dim)."},
    Hint{"kv.shape_differs", "첫 층 K 의 모양(배치, 길이, KV 헤드, head_dim)과 다릅니다.",
         "与第一层 K 的形状（批，长度，KV 头，head_dim）不同。",
         "This is not the shape of the first layer's K (batch, length, KV heads, head_dim)."},
}}};

std::vector<CheckDefinition> definitions() {
    return {
        {"kvbytes.file", 1, "kvbytes.json 을 읽을 수 있다", "kvbytes.json 可读", "kvbytes.json can be read"},
        {"kvbytes.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
        {"kvbytes.tokens", 1, "토큰의 수", "标记数", "number of tokens"},
        {"kvbytes.measured_bytes", 5, "잰 바이트", "测得的字节数", "measured bytes"},
        {"kvbytes.formula_bytes", 4, "식으로 계산한 바이트", "公式计算的字节数", "bytes by the formula"},
        {"kvbytes.k_shape", 2, "첫 층 K 의 모양", "第一层 K 的形状", "shape of the first layer's K"},
    };
}

std::vector<Finding> mistakes(std::int64_t found, const KvBytesReference& reference) {
    const KvBytesResult& kv = reference.kv_bytes;
    const auto right = static_cast<std::int64_t>(kv.formula_bytes());
    const std::int64_t repeated = right / kv.num_key_value_heads * kv.num_attention_heads;
    const std::int64_t by_hidden = 2 * kv.num_hidden_layers * kv.tokens * reference.hidden_size * 4;
    std::vector<Finding> list;
    const auto add = [&](std::int64_t value, Hint hint) {
        if (found == value) list.push_back({hint});
    };
    add(repeated, kHints["kv.after_repeat"]);
    if (by_hidden != repeated) add(by_hidden, kHints["kv.hidden_size"]);
    add(right / 2, kHints["kv.half"]);
    add(right / 4, kHints["kv.elements"]);
    if (kv.num_hidden_layers > 1) add(right / kv.num_hidden_layers, kHints["kv.one_layer"]);
    add(right / kv.tokens * (kv.tokens + 1), kHints["kv.one_token_more"]);
    return list;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < shape.size() && i < kShown; ++i) {
        text += join({i > 0 ? ", " : "", shape[i]});
    }
    return join({"[", text, shape.size() > kShown ? ", …]" : "]"});
}

Steps<Done> reference(const LabContext& context, const std::function<void()>& next, GradeReference& found) {
    next();
    LabContext quiet = context;
    quiet.on_progress = {};
    found.set(KvBytesReference{.kv_bytes = run_kv_bytes(quiet),
                               .hidden_size = context.pretrain->config().hidden_size});
    co_yield kRest;
    co_return Done{};
}

void judge_step(Judge& judge, const GradeReference& all) {
    const KvBytesReference& reference = all.get<KvBytesReference>();
    const OpenedJson json = judge.open_json("kvbytes", {{"tokens", KeyType::integer},
                                                        {"measured_bytes", KeyType::integer},
                                                        {"formula_bytes", KeyType::integer},
                                                        {"k_shape", KeyType::integers}});
    const KvBytesResult& kv = reference.kv_bytes;
    const SubmittedValue* const measured = json.value("measured_bytes");
    judge.quote({.key = "measured_bytes",
                 .file = "kvbytes.json",
                 .written = measured == nullptr ? "" : measured->text,
                 .value = -1});
    judge.integer(
        "kvbytes.tokens", json, "tokens", kv.tokens, [](std::int64_t) { return std::vector<Finding>{}; },
        kHints["kv.tokens"]);
    const auto bytes = [&](const std::string& key) {
        judge.integer(
            join({"kvbytes.", key}), json, key, static_cast<std::int64_t>(kv.formula_bytes()),
            [&](std::int64_t found) { return mistakes(found, reference); }, kHints["kv.differs"]);
    };
    bytes("measured_bytes");
    bytes("formula_bytes");
    judge.with_value("kvbytes.k_shape", json, "k_shape", [&](const SubmittedValue& value) {
        std::vector<std::int64_t> found;
        for (const SubmittedValue& item : value.items) found.push_back(item.integer);
        using Shape = std::vector<std::int64_t>;
        const std::int64_t length = kv.tokens;
        const std::int64_t heads = kv.num_key_value_heads;
        const std::int64_t queries = kv.num_attention_heads;
        const std::int64_t size = kv.head_dim;
        const Shape right(kv.k_shape.begin(), kv.k_shape.end());
        if (found == right) return judge.pass("kvbytes.k_shape");
        Hint hint = kHints["kv.shape_differs"];
        if (found == Shape{1, length, queries, size}) {
            hint = kHints["kv.shape_repeated"];
        } else if (found == Shape{1, heads, length, size} || found == Shape{1, queries, length, size}) {
            hint = kHints["kv.shape_transposed"];
        } else if (found == Shape{1, length, heads * size}) {
            hint = kHints["kv.shape_flat"];
        }
        judge.fail("kvbytes.k_shape", {hint, {}, shape_text(right), shape_text(found)});
    });
}

}  // namespace

StepChecks kv_bytes_checks() {
    return {.definitions = definitions(),
            .hints = kHints.list,
            .judge = judge_step,
            .reference = reference,
            .runs = 1};
}

}  // namespace mm::checks
