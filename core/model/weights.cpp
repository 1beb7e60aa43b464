#include "core/model/weights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/model/tensor_names.hpp"
#include "core/tensor/half.hpp"

namespace mm {
namespace {

/// Loads tensors by name; every failure names file and tensor. Names and shapes are checked as loads are
/// asked for, and then run() packs.
class Loader {
  public:
    Loader(const TensorTable& table, ThreadPool& pool, const LoadOptions& options)
        : table_(table), pool_(pool), options_(options) {}

    void vector(Vector& out, const std::string& name, std::int64_t size) {
        const TensorView& view = table_.get(name, {size});
        loads_.push_back({end_of(view), [this, &out, name, &view] { read(out, name, view); }});
    }

    /// One matrix [Σ rows, columns] from several tensors that follow one another row-wise.
    struct Part {
        std::string name;
        std::int64_t rows;
    };
    void matrix(PackedMatrix& out, std::vector<Part> parts, std::int64_t columns) {
        const std::byte* end = nullptr;
        for (const Part& part : parts) {
            const TensorView& view = table_.get(part.name, {part.rows, columns});
            refuse_overlap(part.name, view);
            end = std::max(end, end_of(view));
        }
        loads_.push_back(
            {end, [this, &out, parts = std::move(parts), columns] { pack(out, parts, columns); }});
    }

    /// In the order asked for. Into the file's memory, from its end to its beginning: what lies behind the
    /// end of the bytes that are still to be read takes the packed matrices, from the memory's end downwards.
    void run() {
        if (options_.memory) {
            std::stable_sort(loads_.begin(), loads_.end(),
                             [](const Load& a, const Load& b) { return a.end > b.end; });
            free_end_ = options_.memory.get() + options_.memory_bytes;
        }
        for (std::size_t i = 0; i < loads_.size(); ++i) {
            unread_end_ = loads_[i].end;
            last_ = i + 1 == loads_.size();
            loads_[i].work();
        }
    }

  private:
    struct Load {
        const std::byte* end;  // of the bytes it reads
        std::function<void()> work;
    };

    /// So many bytes of the file's memory that nobody needs any more; null when it has none.
    std::shared_ptr<void> place(std::size_t bytes) {
        constexpr std::uintptr_t kAlignment = 64;
        const auto end = reinterpret_cast<std::uintptr_t>(free_end_) / kAlignment * kAlignment;
        const auto unread = reinterpret_cast<std::uintptr_t>(unread_end_);
        const std::size_t used = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        if (!options_.memory || end < unread || end - unread < used) return nullptr;
        free_end_ = reinterpret_cast<std::byte*>(end - used);
        return {options_.memory, free_end_};
    }

    static const std::byte* end_of(const TensorView& view) {
        std::int64_t last = 0;
        for (std::size_t d = 0; d < view.shape.size(); ++d) last += (view.shape[d] - 1) * view.strides[d];
        return view.data + static_cast<std::size_t>(last + 1) * item_size(view.dtype);
    }

    void read(Vector& out, const std::string& name, const TensorView& view) const {
        out = Vector::from_shape({static_cast<std::size_t>(view.shape[0])});
        for (std::int64_t i = 0; i < view.shape[0]; ++i) {
            const std::size_t offset = static_cast<std::size_t>(i * view.strides[0]) * item_size(view.dtype);
            const float value = load_float(view.data + offset, view.dtype);
            if (!std::isfinite(value)) not_finite(name);
            out(static_cast<std::size_t>(i)) = value;
        }
    }

    void pack(PackedMatrix& out, const std::vector<Part>& parts, std::int64_t columns) {
        std::vector<const TensorView*> views;
        for (const Part& part : parts) views.push_back(&table_.get(part.name, {part.rows, columns}));
        // The last one's bytes are all that is left to read, and lie in the way.
        if (last_ && options_.memory && views.size() == 1 &&
            PackedMatrix::fits_in_place(*views.front(), options_.keep)) {
            out = PackedMatrix::pack_in_place(*views.front(), options_.memory);
        } else {
            auto to = place(PackedMatrix::packed_bytes(views, options_.keep));
            out = PackedMatrix::pack(views, pool_, options_.keep, std::move(to));
        }
        if (!out.has_nonfinite()) return;
        if (views.size() == 1) not_finite(parts.front().name);
        for (const Part& part : parts) {
            if (PackedMatrix::pack(table_.get(part.name, {part.rows, columns}), pool_).has_nonfinite()) {
                not_finite(part.name);
            }
        }
    }

    // A few bytes can claim a huge matrix when strides let its elements overlap (torch.Tensor.expand).
    void refuse_overlap(const std::string& name, const TensorView& view) const {
        constexpr std::int64_t kHarmless = 1 << 20;
        std::int64_t reach = 1;
        for (std::size_t d = 0; d < view.shape.size(); ++d) reach += (view.shape[d] - 1) * view.strides[d];
        if (view.numel() > reach && view.numel() > kHarmless) {
            throw_error(ErrorKind::unsupported,
                        "elements overlap in the file: a weight must be stored in full",
                        {.file = table_.file_of(name), .tensor = name, .field = "stride"});
        }
    }

    [[noreturn]] void not_finite(const std::string& name) const {
        throw_error(ErrorKind::format, "holds a NaN or infinite weight",
                    {.file = table_.file_of(name), .tensor = name});
    }

    const TensorTable& table_;
    ThreadPool& pool_;
    const LoadOptions& options_;
    std::vector<Load> loads_;
    const std::byte* unread_end_ = nullptr;
    std::byte* free_end_ = nullptr;
    bool last_ = false;
};

void load_feed_forward(Loader& loader, FeedForwardWeights& out, const ModelConfig& c,
                       const std::string& prefix) {
    const std::int64_t width = c.intermediate_size;
    loader.matrix(out.gate_up, {{prefix + names::kGateProj, width}, {prefix + names::kUpProj, width}},
                  c.hidden_size);
    loader.matrix(out.down, {{prefix + names::kDownProj, c.hidden_size}}, width);
}

void load_layer(Loader& loader, LayerWeights& layer, const ModelConfig& c, std::int64_t index) {
    const std::string prefix = names::layer(index);
    const std::int64_t hidden = c.hidden_size;
    const std::int64_t q_rows = c.num_attention_heads * c.head_dim;
    const std::int64_t kv_rows = c.num_key_value_heads * c.head_dim;
    loader.vector(layer.input_layernorm, prefix + names::kInputLayernorm, hidden);
    loader.matrix(layer.qkv,
                  {{prefix + names::kQProj, q_rows},
                   {prefix + names::kKProj, kv_rows},
                   {prefix + names::kVProj, kv_rows}},
                  hidden);
    if (c.qk_norm) {
        loader.vector(layer.q_norm, prefix + names::kQNorm, c.head_dim);
        loader.vector(layer.k_norm, prefix + names::kKNorm, c.head_dim);
    }
    loader.matrix(layer.o_proj, {{prefix + names::kOProj, hidden}}, q_rows);
    loader.vector(layer.post_attention_layernorm, prefix + names::kPostAttentionLayernorm, hidden);
    layer.experts.resize(c.use_moe ? static_cast<std::size_t>(c.num_experts) : 1);
    if (!c.use_moe) return load_feed_forward(loader, layer.experts.front(), c, prefix + names::kMlp);
    loader.matrix(layer.router, {{prefix + names::kRouter, c.num_experts}}, hidden);
    for (std::int64_t e = 0; e < c.num_experts; ++e) {
        load_feed_forward(loader, layer.experts[static_cast<std::size_t>(e)], c, names::expert(index, e));
    }
    layer.shared_experts.resize(static_cast<std::size_t>(c.num_shared_experts));
    for (std::int64_t e = 0; e < c.num_shared_experts; ++e) {
        load_feed_forward(loader, layer.shared_experts[static_cast<std::size_t>(e)], c,
                          names::shared_expert(index, e));
    }
}

/// What nobody asked for: buffers that are computed anew are dropped, the rest is returned, and what
/// MiniMind's arithmetic would have used is refused.
std::vector<std::string> left_over(const TensorTable& table) {
    std::vector<std::string> ignored;
    for (const std::string& name : table.unused()) {
        if (names::is_rotary_table(name)) continue;
        const auto refuse = [&](std::string_view why) {
            throw_error(ErrorKind::unsupported, why, {.file = table.file_of(name), .tensor = name});
        };
        if (name.ends_with(".bias")) refuse("biases are not supported: ignoring one would change the result");
        if (name.find(".lora") != std::string::npos || name.find("lora_") != std::string::npos) {
            refuse("LoRA weights must be merged into the base model first");
        }
        // An extra weight inside a layer or a further expert is part of another computation.
        if (name.starts_with(names::kLayers) && name.find(".rotary_emb.") == std::string::npos) {
            refuse("does not belong to this architecture: ignoring it would change the result");
        }
        ignored.push_back(name);
    }
    return ignored;
}

}  // namespace

Dims::Dims(const ModelConfig& config)
    : hidden(static_cast<std::size_t>(config.hidden_size)),
      heads(static_cast<std::size_t>(config.num_attention_heads)),
      kv_heads(static_cast<std::size_t>(config.num_key_value_heads)),
      head_dim(static_cast<std::size_t>(config.head_dim)),
      intermediate(static_cast<std::size_t>(config.intermediate_size)),
      vocab(static_cast<std::size_t>(config.vocab_size)),
      layers(static_cast<std::size_t>(config.num_hidden_layers)),
      experts(static_cast<std::size_t>(config.num_experts)),
      experts_per_tok(static_cast<std::size_t>(config.num_experts_per_tok)) {}

Weights::Weights(const TensorTable& table, const ModelConfig& model_config, ThreadPool& pool,
                 const LoadOptions& options)
    : file(table.file()),
      config(model_config),
      dims(model_config),
      rms_norm_eps(static_cast<float>(model_config.rms_norm_eps)),
      rope((model_config.validate(), model_config)) {
    Loader loader(table, pool, options);
    loader.matrix(embed_tokens, {{names::kEmbedTokens, config.vocab_size}}, config.hidden_size);
    layers.resize(static_cast<std::size_t>(config.num_hidden_layers));
    for (std::int64_t l = 0; l < config.num_hidden_layers; ++l) {
        load_layer(loader, layers[static_cast<std::size_t>(l)], config, l);
    }
    loader.vector(final_norm, names::kFinalNorm, config.hidden_size);
    if (!config.tie_word_embeddings) {
        loader.matrix(lm_head, {{names::kLmHead, config.vocab_size}}, config.hidden_size);
    } else if (table.contains(names::kLmHead)) {
        table.get(names::kLmHead, {config.vocab_size, config.hidden_size});  // the same matrix once more
    }
    ignored = left_over(table);
    loader.run();
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
