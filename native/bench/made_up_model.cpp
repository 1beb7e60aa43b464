#include "native/bench/made_up_model.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/model/tensor_names.hpp"

namespace mm {
namespace {

ModelConfig size(std::int64_t hidden, std::int64_t layers, std::int64_t heads, std::int64_t head_dim,
                 std::int64_t feed_forward, std::int64_t vocabulary) {
    ModelConfig c;
    c.vocab_size = vocabulary;
    c.hidden_size = hidden;
    c.num_hidden_layers = layers;
    c.num_attention_heads = heads;
    c.num_key_value_heads = heads / 2;
    c.head_dim = head_dim;
    c.intermediate_size = feed_forward;
    return c;
}

using Shapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

Shapes shapes_of(const ModelConfig& c) {
    const std::int64_t hidden = c.hidden_size;
    const std::int64_t q = c.num_attention_heads * c.head_dim;
    const std::int64_t kv = c.num_key_value_heads * c.head_dim;
    Shapes shapes{{names::kEmbedTokens, {c.vocab_size, hidden}}};
    for (std::int64_t l = 0; l < c.num_hidden_layers; ++l) {
        const std::string layer = names::layer(l);
        const std::string mlp = layer + names::kMlp;
        shapes.insert(shapes.end(), {{layer + names::kInputLayernorm, {hidden}},
                                     {layer + names::kQProj, {q, hidden}},
                                     {layer + names::kKProj, {kv, hidden}},
                                     {layer + names::kVProj, {kv, hidden}},
                                     {layer + names::kOProj, {hidden, q}},
                                     {layer + names::kQNorm, {c.head_dim}},
                                     {layer + names::kKNorm, {c.head_dim}},
                                     {layer + names::kPostAttentionLayernorm, {hidden}},
                                     {mlp + names::kGateProj, {c.intermediate_size, hidden}},
                                     {mlp + names::kUpProj, {c.intermediate_size, hidden}},
                                     {mlp + names::kDownProj, {hidden, c.intermediate_size}}});
    }
    shapes.push_back({names::kFinalNorm, {hidden}});
    return shapes;
}

// ±odd · 2^-13 below 2^-2: eleven bits, far from float16's subnormals.
class Values {
  public:
    explicit Values(DType dtype) {
        for (std::uint32_t i = 0; i < 2048; ++i) {
            const float value = static_cast<float>(static_cast<std::int32_t>(i | 1) - 1024) / 8192;
            std::uint32_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            if (dtype == DType::f16) {  // exact: the exponent is moved, the fraction's last 13 bits are zero
                bits = (bits >> 16 & 0x8000u) | ((bits & 0x7FFFFFFFu) - (112u << 23)) >> 13;
            }
            patterns_[i] = bits;
        }
    }
    std::uint32_t next() {  // xorshift64*
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return patterns_[(state_ * 0x2545F4914F6CDD1Du) >> 53];
    }

  private:
    std::array<std::uint32_t, 2048> patterns_;
    std::uint64_t state_ = 88172645463325252u;
};

}  // namespace

std::span<const NamedSize> named_sizes() {
    static const std::array<NamedSize, 2> sizes = {
        NamedSize{"lab", size(128, 4, 4, 32, 448, 2048)},
        NamedSize{"minimind-3", size(768, 8, 8, 96, 2432, 6400)},
    };
    return sizes;
}

MadeUpCheckpoint::MadeUpCheckpoint(const ModelConfig& config, DType dtype)
    : table_("made-up weights", "memory") {
    if (dtype != DType::f32 && dtype != DType::f16) {
        throw_error(ErrorKind::internal, "weights are made up as float32 or float16");
    }
    const Shapes shapes = shapes_of(config);
    std::size_t total = 0;
    std::vector<TensorView> views;
    for (const auto& [name, shape] : shapes) {
        TensorView view;
        view.dtype = shape.size() == 1 ? DType::f32 : dtype;
        view.shape = shape;
        view.strides = {1};
        if (shape.size() == 2) view.strides = {shape[1], 1};
        total += static_cast<std::size_t>(view.numel()) * item_size(view.dtype);
        views.push_back(std::move(view));
    }
    bytes_.resize(total);
    Values values(dtype);
    std::byte* at = bytes_.data();
    for (std::size_t t = 0; t < shapes.size(); ++t) {
        TensorView& view = views[t];
        view.data = at;
        const std::size_t item = item_size(view.dtype);
        const float one = 1;
        for (std::int64_t i = 0; i < view.numel(); ++i, at += item) {
            if (view.shape.size() == 1) {
                std::memcpy(at, &one, sizeof one);
            } else {
                const std::uint32_t bits = values.next();
                std::memcpy(at, &bits, item);  // little-endian, as every target is
            }
        }
        table_.add(shapes[t].first, std::move(view));
    }
}

}  // namespace mm
