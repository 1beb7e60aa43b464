// Step 4, kvbytes.json: measured = formula = reference, and the shape before heads are repeated.
#include "core/base/join.hpp"
#include "core/lab/checks/judge.hpp"

namespace mm::checks {
namespace {

std::vector<Finding> mistakes(std::int64_t found, const GradeReference& reference) {
    const KvBytesResult& kv = reference.kv_bytes;
    const auto right = static_cast<std::int64_t>(kv.formula_bytes());
    const std::int64_t repeated = right / kv.num_key_value_heads * kv.num_attention_heads;
    const std::int64_t by_hidden = 2 * kv.num_hidden_layers * kv.tokens * reference.hidden_size * 4;
    std::vector<Finding> list;
    const auto add = [&](std::int64_t value, Hint hint) {
        if (found == value) list.push_back({hint});
    };
    add(repeated, Hint::kv_after_repeat);
    if (by_hidden != repeated) add(by_hidden, Hint::kv_hidden_size);
    add(right / 2, Hint::kv_half);
    add(right / 4, Hint::kv_elements);
    if (kv.num_hidden_layers > 1) add(right / kv.num_hidden_layers, Hint::kv_one_layer);
    add(right / kv.tokens * (kv.tokens + 1), Hint::kv_one_token_more);
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

}  // namespace

void check_kv_bytes(Judge& judge, const GradeReference& reference, Quoted& quoted) {
    const OpenedJson json = judge.open_json("kvbytes", {{"tokens", KeyType::integer},
                                                        {"measured_bytes", KeyType::integer},
                                                        {"formula_bytes", KeyType::integer},
                                                        {"k_shape", KeyType::integers}});
    const KvBytesResult& kv = reference.kv_bytes;
    if (const SubmittedValue* const measured = json.value("measured_bytes"); measured != nullptr) {
        quoted.measured_bytes = measured->text;
    }
    judge.integer(
        "kvbytes.tokens", json, "tokens", kv.tokens, [](std::int64_t) { return std::vector<Finding>{}; },
        Hint::kv_tokens);
    const auto bytes = [&](const std::string& key) {
        judge.integer(
            join({"kvbytes.", key}), json, key, static_cast<std::int64_t>(kv.formula_bytes()),
            [&](std::int64_t found) { return mistakes(found, reference); }, Hint::kv_differs);
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
        Hint hint = Hint::kv_shape_differs;
        if (found == Shape{1, length, queries, size}) {
            hint = Hint::kv_shape_repeated;
        } else if (found == Shape{1, heads, length, size} || found == Shape{1, queries, length, size}) {
            hint = Hint::kv_shape_transposed;
        } else if (found == Shape{1, length, heads * size}) {
            hint = Hint::kv_shape_flat;
        }
        judge.fail("kvbytes.k_shape", {hint, {}, shape_text(right), shape_text(found)});
    });
}

}  // namespace mm::checks
