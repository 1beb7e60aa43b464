#include "core/model/weights.hpp"

#include <cmath>
#include <cstring>
#include <initializer_list>

#include "core/model/tensor_names.hpp"
#include "core/tensor/half.hpp"

namespace mm {
namespace {

float element(const TensorView& view, std::int64_t offset) {
    const std::byte* at = view.data + static_cast<std::size_t>(offset) * item_size(view.dtype);
    if (view.dtype == DType::f32) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return view.dtype == DType::f16 ? widen_f16(bits) : widen_bf16(bits);
}

/// Loads tensors by name; every failure names file and tensor.
class Loader {
  public:
    Loader(const TensorTable& table, ThreadPool& pool) : table_(table), pool_(pool) {}

    Vector vector(const std::string& name, std::int64_t size) {
        const TensorView& view = table_.get(name, {size});
        Vector out = Vector::from_shape({static_cast<std::size_t>(size)});
        for (std::int64_t i = 0; i < size; ++i) {
            const float value = element(view, i * view.strides[0]);
            if (!std::isfinite(value)) not_finite(name);
            out(static_cast<std::size_t>(i)) = value;
        }
        return out;
    }

    /// One matrix [Σ rows, columns] from several tensors that follow one another row-wise.
    struct Part {
        std::string name;
        std::int64_t rows;
    };
    PackedMatrix matrix(std::initializer_list<Part> parts, std::int64_t columns) {
        std::vector<const TensorView*> views;
        for (const Part& part : parts) {
            views.push_back(&table_.get(part.name, {part.rows, columns}));
            refuse_overlap(part.name, *views.back());
        }
        PackedMatrix packed = PackedMatrix::pack(views, pool_);
        if (packed.has_nonfinite()) {
            for (const Part& part : parts) {
                if (PackedMatrix::pack(table_.get(part.name, {part.rows, columns}), pool_).has_nonfinite()) {
                    not_finite(part.name);
                }
            }
        }
        return packed;
    }

  private:
    // A few bytes can claim a huge matrix when strides let its elements overlap (torch.Tensor.expand).
    void refuse_overlap(const std::string& name, const TensorView& view) const {
        constexpr std::int64_t kHarmless = 1 << 20;
        std::int64_t reach = 1;
        for (std::size_t d = 0; d < view.shape.size(); ++d) reach += (view.shape[d] - 1) * view.strides[d];
        if (view.numel() > reach && view.numel() > kHarmless) {
            throw Error(ErrorKind::unsupported,
                        "elements overlap in the file: a weight must be stored in full",
                        {.file = table_.file(), .tensor = name, .field = "stride"});
        }
    }

    [[noreturn]] void not_finite(const std::string& name) const {
        throw Error(ErrorKind::format, "holds a NaN or infinite weight",
                    {.file = table_.file(), .tensor = name});
    }

    const TensorTable& table_;
    ThreadPool& pool_;
};

FeedForwardWeights load_feed_forward(Loader& loader, const ModelConfig& c, const std::string& prefix) {
    const std::int64_t width = c.intermediate_size;
    return {.gate_up = loader.matrix({{prefix + names::kGateProj, width}, {prefix + names::kUpProj, width}},
                                     c.hidden_size),
            .down = loader.matrix({{prefix + names::kDownProj, c.hidden_size}}, width)};
}

LayerWeights load_layer(Loader& loader, const ModelConfig& c, std::int64_t index) {
    const std::string prefix = names::layer(index);
    const std::int64_t hidden = c.hidden_size;
    const std::int64_t q_rows = c.num_attention_heads * c.head_dim;
    const std::int64_t kv_rows = c.num_key_value_heads * c.head_dim;
    LayerWeights layer;
    layer.input_layernorm = loader.vector(prefix + names::kInputLayernorm, hidden);
    layer.qkv = loader.matrix({{prefix + names::kQProj, q_rows},
                               {prefix + names::kKProj, kv_rows},
                               {prefix + names::kVProj, kv_rows}},
                              hidden);
    if (c.qk_norm) {
        layer.q_norm = loader.vector(prefix + names::kQNorm, c.head_dim);
        layer.k_norm = loader.vector(prefix + names::kKNorm, c.head_dim);
    }
    layer.o_proj = loader.matrix({{prefix + names::kOProj, hidden}}, q_rows);
    layer.post_attention_layernorm = loader.vector(prefix + names::kPostAttentionLayernorm, hidden);
    if (!c.use_moe) {
        layer.experts.push_back(load_feed_forward(loader, c, prefix + names::kMlp));
        return layer;
    }
    layer.router = loader.matrix({{prefix + names::kRouter, c.num_experts}}, hidden);
    for (std::int64_t e = 0; e < c.num_experts; ++e) {
        layer.experts.push_back(load_feed_forward(loader, c, names::expert(index, e)));
    }
    for (std::int64_t e = 0; e < c.num_shared_experts; ++e) {
        layer.shared_experts.push_back(load_feed_forward(loader, c, names::shared_expert(index, e)));
    }
    return layer;
}

/// What nobody asked for: buffers that are computed anew are dropped, the rest is returned, and what
/// MiniMind's arithmetic would have used is refused.
std::vector<std::string> left_over(const TensorTable& table) {
    std::vector<std::string> ignored;
    for (const std::string& name : table.unused()) {
        if (name == "model.freqs_cos" || name == "model.freqs_sin") continue;
        const bool bias = name.ends_with(".bias");
        const bool adapter =
            name.find(".lora") != std::string::npos || name.find("lora_") != std::string::npos;
        // An extra weight inside a layer or a further expert is part of another computation.
        const bool inside =
            name.starts_with(names::kLayers) && name.find(".rotary_emb.") == std::string::npos;
        if (bias || adapter || inside) {
            throw Error(ErrorKind::unsupported,
                        bias      ? "biases are not supported: ignoring one would change the result"
                        : adapter ? "LoRA weights must be merged into the base model first"
                                  : "is no part of this architecture: ignoring it would change the result",
                        {.file = table.file(), .tensor = name});
        }
        ignored.push_back(name);
    }
    return ignored;
}

}  // namespace

Weights::Weights(const TensorTable& table, const ModelConfig& model_config, ThreadPool& pool)
    : config(model_config), rope((model_config.validate(), model_config)) {
    Loader loader(table, pool);
    embed_tokens = loader.matrix({{names::kEmbedTokens, config.vocab_size}}, config.hidden_size);
    for (std::int64_t l = 0; l < config.num_hidden_layers; ++l)
        layers.push_back(load_layer(loader, config, l));
    final_norm = loader.vector(names::kFinalNorm, config.hidden_size);
    if (!config.tie_word_embeddings) {
        lm_head = loader.matrix({{names::kLmHead, config.vocab_size}}, config.hidden_size);
    } else if (table.contains(names::kLmHead)) {
        table.get(names::kLmHead, {config.vocab_size, config.hidden_size});  // the same matrix once more
    }
    ignored = left_over(table);
}

std::uint64_t Weights::bytes() const {
    const auto floats = [](const Vector& v) { return std::uint64_t{v.size()} * sizeof(float); };
    std::uint64_t sum = embed_tokens.bytes() + lm_head.bytes() + floats(final_norm);
    for (const LayerWeights& layer : layers) {
        sum += floats(layer.input_layernorm) + floats(layer.post_attention_layernorm) + floats(layer.q_norm) +
               floats(layer.k_norm) + layer.qkv.bytes() + layer.o_proj.bytes() + layer.router.bytes();
        for (const auto* group : {&layer.experts, &layer.shared_experts}) {
            for (const FeedForwardWeights& expert : *group)
                sum += expert.gate_up.bytes() + expert.down.bytes();
        }
    }
    return sum;
}

}  // namespace mm
