// Whole loads: a checkpoint in the shape of a model, its config and ids, through loading to logits. The input
// is a recipe, so that nearly every one gets as far as the arithmetic, with dimensions, types, layouts and
// values that no trained model has.
//
// What is computed is checked as well: logits are finite, and the same bits token by token as in one call.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/checkpoint/tensor_table.hpp"
#include "core/model/model.hpp"
#include "tests/checkpoint/forge.hpp"
#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {
namespace {

/// The input, one decision after another; zeros when it has ended.
class Recipe {
  public:
    explicit Recipe(std::string_view input) : input_(input) {}

    std::int64_t pick(std::int64_t low, std::int64_t high) {
        const auto byte = at_ < input_.size() ? static_cast<unsigned char>(input_[at_]) : 0U;
        ++at_;
        return low + static_cast<std::int64_t>(byte) % (high - low + 1);
    }
    bool once_in(std::int64_t n) { return pick(1, n) == n; }
    template <typename T, std::size_t N>
    T one_of(const T (&values)[N]) {
        return values[static_cast<std::size_t>(pick(0, N - 1))];
    }

  private:
    std::string_view input_;
    std::size_t at_ = 0;
};

struct Type {
    const char* safetensors;
    const char* storage;  // empty: not in a .pth
    std::size_t bytes;
};
constexpr Type kWeights[] = {
    {"F32", "FloatStorage", 4}, {"F16", "HalfStorage", 2}, {"BF16", "BFloat16Storage", 2}};
constexpr Type kOthers[] = {{"U8", "ByteStorage", 1},          {"F64", "DoubleStorage", 8},
                            {"I64", "LongStorage", 8},         {"BOOL", "BoolStorage", 1},
                            {"C64", "ComplexFloatStorage", 8}, {"F8_E4M3", "QInt8Storage", 1},
                            {"U16", "ShortStorage", 2}};

struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
};

struct Dimensions {
    std::int64_t vocabulary, hidden, layers, heads, kv_heads, head_dim, width, experts, shared;
    bool qk_norm, head;
};

Dimensions dimensions(Recipe& r) {
    Dimensions d{};
    d.vocabulary = r.pick(1, 24);
    d.hidden = r.pick(1, 20);
    d.layers = r.pick(1, 3);
    d.kv_heads = r.pick(1, 3);
    d.heads = d.kv_heads * r.pick(1, 3);
    d.head_dim = 2 * r.pick(1, 9);
    d.width = r.pick(1, 20);
    d.experts = r.once_in(2) ? r.pick(1, 5) : 0;
    d.shared = d.experts > 0 && r.once_in(4) ? 1 : 0;
    d.qk_norm = !r.once_in(3);
    if (!d.qk_norm && !r.once_in(4)) d.hidden = d.heads * d.head_dim;
    d.head = r.once_in(2);
    return d;
}

std::vector<Tensor> tensors_of(const Dimensions& d, bool fused) {
    std::vector<Tensor> out = {{"model.embed_tokens.weight", {d.vocabulary, d.hidden}}};
    const auto feed_forward = [&](const std::string& prefix) {
        out.push_back({prefix + "gate_proj.weight", {d.width, d.hidden}});
        out.push_back({prefix + "up_proj.weight", {d.width, d.hidden}});
        out.push_back({prefix + "down_proj.weight", {d.hidden, d.width}});
    };
    for (std::int64_t l = 0; l < d.layers; ++l) {
        const std::string layer = "model.layers." + std::to_string(l) + ".";
        out.push_back({layer + "input_layernorm.weight", {d.hidden}});
        out.push_back({layer + "self_attn.q_proj.weight", {d.heads * d.head_dim, d.hidden}});
        out.push_back({layer + "self_attn.k_proj.weight", {d.kv_heads * d.head_dim, d.hidden}});
        out.push_back({layer + "self_attn.v_proj.weight", {d.kv_heads * d.head_dim, d.hidden}});
        out.push_back({layer + "self_attn.o_proj.weight", {d.hidden, d.heads * d.head_dim}});
        if (d.qk_norm) {
            out.push_back({layer + "self_attn.q_norm.weight", {d.head_dim}});
            out.push_back({layer + "self_attn.k_norm.weight", {d.head_dim}});
        }
        out.push_back({layer + "post_attention_layernorm.weight", {d.hidden}});
        if (d.experts == 0) {
            feed_forward(layer + "mlp.");
            continue;
        }
        out.push_back({layer + "mlp.gate.weight", {d.experts, d.hidden}});
        if (fused) {
            out.push_back({layer + "mlp.experts.gate_up_proj", {d.experts, 2 * d.width, d.hidden}});
            out.push_back({layer + "mlp.experts.down_proj", {d.experts, d.hidden, d.width}});
        }
        for (std::int64_t e = 0; e < d.experts && !fused; ++e) {
            feed_forward(layer + "mlp.experts." + std::to_string(e) + ".");
        }
        if (d.shared > 0) feed_forward(layer + "mlp.shared_experts.0.");
    }
    out.push_back({"model.norm.weight", {d.hidden}});
    if (d.head) out.push_back({"lm_head.weight", {d.vocabulary, d.hidden}});
    return out;
}

/// Elements of a tensor: small numbers, or a few that are extreme.
std::string values(Recipe& r, const Type& type, std::size_t count) {
    const std::int64_t kind = r.pick(0, 15);
    auto state = static_cast<std::uint32_t>(r.pick(0, 255) + 1);
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525 + 1013904223;
        float value = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
        if (kind == 12) value *= 1e30f;
        if (kind == 13) value *= 3e38f;
        if (kind == 14) value *= 1e-40f;
        if (kind == 15) value = i % 7 == 3 ? INFINITY : 0;
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        if (type.bytes == 2) bits = type.safetensors[0] == 'B' ? bits >> 16 : state >> 18;
        for (std::size_t b = 0; b < type.bytes; ++b) out += static_cast<char>(bits >> (8 * (b % 4)));
    }
    return out;
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
    std::int64_t n = 1;
    for (const std::int64_t size : shape) n *= size;
    return n;
}

std::string safetensors_file(Recipe& r, const std::vector<Tensor>& tensors, const std::vector<Type>& types) {
    std::string header = "{", data;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::size_t begin = data.size();
        data += values(r, types[i], static_cast<std::size_t>(product(tensors[i].shape)));
        std::string shape;
        for (const std::int64_t size : tensors[i].shape)
            shape += (shape.empty() ? "" : ",") + std::to_string(size);
        header += (i > 0 ? ",\"" : "\"") + tensors[i].name + R"(":{"dtype":")" + types[i].safetensors +
                  R"(","shape":[)" + shape + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
                  std::to_string(data.size()) + "]}";
    }
    return forge::safetensors(header + "}", data);
}

/// A .pth whose tensors lie in their storages in any order of dimensions, expanded, or at an offset.
std::string torch_file(Recipe& r, const std::vector<Tensor>& tensors, const std::vector<Type>& types) {
    std::vector<std::string> storages, pairs, keys;
    std::string data;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        forge::Tensor t{
            .storage_class = types[i].storage, .key = std::to_string(i), .size = tensors[i].shape};
        t.stride.assign(t.size.size(), 0);
        const bool turned = r.once_in(3);
        std::int64_t step = r.once_in(8) ? 2 : 1;
        for (std::size_t n = 0; n < t.size.size(); ++n) {
            const std::size_t d = turned ? n : t.size.size() - 1 - n;
            if (r.once_in(20)) continue;
            t.stride[d] = step;
            step *= t.size[d];
        }
        t.offset = r.once_in(4) ? r.pick(0, 9) : 0;
        t.numel = t.offset + 1;
        for (std::size_t d = 0; d < t.size.size(); ++d) t.numel += (t.size[d] - 1) * t.stride[d];
        if (r.once_in(60)) t.numel -= 1;
        t.numel = std::max<std::int64_t>(t.numel, 0);  // a tensor with a size of zero
        storages.push_back(values(r, types[i], static_cast<std::size_t>(t.numel)));
        data += forge::little(static_cast<std::uint64_t>(t.numel), 8) + storages.back();
        pairs.push_back(forge::text(tensors[i].name));
        pairs.push_back(forge::rebuild(t));
        keys.push_back(forge::text(t.key));
    }
    const std::string object = forge::dict(pairs);
    if (r.once_in(3)) return forge::torch_legacy(object, forge::list(keys), data);
    return forge::torch_zip(object, storages);
}

Json made_config(Recipe& r, const Dimensions& d) {
    Json config = Json::object();
    if (!d.qk_norm || r.once_in(3)) config["num_attention_heads"] = d.heads;
    if (!d.qk_norm && r.once_in(3)) config["head_dim"] = d.head_dim;
    if (r.once_in(3)) config["max_position_embeddings"] = r.one_of({1, 8, 64, 4096, 2147483647});
    if (r.once_in(3)) config["rope_theta"] = r.one_of({1e4, 1e6, 1.0, 0.5, 1e-3, 1e-38, 1e-40, 1e29, 0.0});
    if (r.once_in(5)) config["rms_norm_eps"] = r.one_of({1e-5, 1e-40, 0.5, 1e-46, 0.0});
    if (r.once_in(3)) config["num_experts_per_tok"] = r.pick(0, 6);
    if (r.once_in(3)) config["norm_topk_prob"] = r.once_in(2);
    if (r.once_in(4)) config["tie_word_embeddings"] = !d.head;
    if (r.once_in(3)) {
        config["model_type"] =
            std::string(r.one_of<std::string_view>({"minimind", "qwen3", "qwen3_moe", "llama"}));
    }
    if (r.once_in(3)) {
        Json yarn = {{"rope_type", "yarn"}, {"factor", r.one_of({4.0, 0.5, 1.0, 1e-40, 1e29})}};
        if (r.once_in(2)) yarn["original_max_position_embeddings"] = r.one_of({1, 16, 2048});
        if (r.once_in(4)) yarn["attention_factor"] = r.one_of({1.0, 1e-30, 1e29});
        if (r.once_in(4)) yarn["beta_fast"] = r.one_of({32.0, 1e-30, 1e29});
        if (r.once_in(4)) yarn["beta_slow"] = r.one_of({1.0, 64.0, 1e29});
        if (r.once_in(4)) yarn["truncate"] = false;
        config[r.once_in(2) ? "rope_scaling" : "rope_parameters"] = yarn;
    }
    return config;
}

void run_model(Recipe& r, const TensorTable& table, const Json& config) {
    const ModelConfig c = ModelConfig::from_checkpoint(table, &config, "config.json", {});
    const Model model(table, c, std::make_shared<ThreadPool>(1));
    std::vector<TokenId> ids(static_cast<std::size_t>(r.pick(1, 70)));
    for (TokenId& id : ids) id = static_cast<TokenId>(r.pick(0, c.vocab_size - (r.once_in(100) ? 0 : 1)));
    Workspace workspace;
    Matrix all, step;
    KvCache whole(c), cache(c);
    model.forward({ids}, whole, LogitsFor::all, all, workspace);
    for (std::size_t i = 0; i < all.size(); ++i)
        require(std::isfinite(all.data()[i]), "a logit is no number");
    const std::size_t first = ids.size() / 2;
    if (first > 0) model.forward({std::span(ids).first(first)}, cache, LogitsFor::none, step, workspace);
    for (std::size_t t = first; t < ids.size(); ++t) {
        model.forward({std::span(ids).subspan(t, 1)}, cache, LogitsFor::last, step, workspace);
        require(std::memcmp(step.data(), all.data() + t * step.size(), step.size() * sizeof(float)) == 0,
                "other bits with the cache");
    }
    require(cache.bytes_used() == c.kv_bytes(ids.size()), "other bytes than the formula's");
}

}  // namespace

void whole_load(std::string_view input) {
    Recipe r(input);
    const Dimensions d = dimensions(r);
    std::vector<Tensor> tensors = tensors_of(d, r.once_in(4));
    if (r.once_in(12))
        tensors.erase(tensors.begin() + r.pick(0, static_cast<std::int64_t>(tensors.size()) - 1));
    if (r.once_in(12)) tensors.push_back({"model.layers.0.extra", {r.pick(0, 3)}});
    const Type usual = r.one_of(kWeights);
    const bool all_other = r.once_in(24);
    std::vector<Type> types;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (r.once_in(60)) ++tensors[i].shape[0];
        types.push_back(all_other || r.once_in(100) ? r.one_of(kOthers)
                        : r.once_in(9)              ? r.one_of(kWeights)
                                                    : usual);
    }
    const std::string file =
        r.once_in(2) ? safetensors_file(r, tensors, types) : torch_file(r, tensors, types);
    const Json config = made_config(r, d);
    reads_or_explains("", [&] { run_model(r, read_checkpoint(as_bytes(file), "f"), config); });
}

}  // namespace mm::fuzz
