#include "core/reference/weights.hpp"

#include "core/model/weights.hpp"

namespace mm::reference {
namespace {

/// Rows [begin, end) of a packed [outputs, inputs] matrix as [inputs, outputs].
Matrix transposed(const PackedMatrix& packed, std::size_t begin, std::size_t end) {
    Matrix out = Matrix::from_shape({packed.inputs(), end - begin});
    std::vector<float> row(packed.inputs());
    for (std::size_t n = begin; n < end; ++n) {
        packed.row(n, row.data());
        for (std::size_t k = 0; k < row.size(); ++k) out(k, n - begin) = row[k];
    }
    return out;
}
Matrix transposed(const PackedMatrix& packed) {
    return transposed(packed, 0, packed.outputs());
}

FeedForward feed_forward(const FeedForwardWeights& packed) {
    const std::size_t width = packed.down.inputs();
    return {transposed(packed.gate_up, 0, width), transposed(packed.gate_up, width, 2 * width),
            transposed(packed.down)};
}

std::vector<FeedForward> feed_forwards(const std::vector<FeedForwardWeights>& packed) {
    std::vector<FeedForward> out;
    for (const FeedForwardWeights& one : packed) out.push_back(feed_forward(one));
    return out;
}

}  // namespace

Weights::Weights(const Model& model) : config(model.config()) {
    const mm::Weights& packed = model.weights();
    embed_tokens = Matrix::from_shape({packed.embed_tokens.outputs(), packed.embed_tokens.inputs()});
    for (std::size_t id = 0; id < embed_tokens.shape(0); ++id)
        packed.embed_tokens.row(id, &embed_tokens(id, 0));
    const auto queries = static_cast<std::size_t>(config.num_attention_heads * config.head_dim);
    const auto keys = static_cast<std::size_t>(config.num_key_value_heads * config.head_dim);
    for (const LayerWeights& from : packed.layers) {
        Layer layer;
        layer.input_layernorm = from.input_layernorm;
        layer.q_proj = transposed(from.qkv, 0, queries);
        layer.k_proj = transposed(from.qkv, queries, queries + keys);
        layer.v_proj = transposed(from.qkv, queries + keys, queries + 2 * keys);
        layer.q_norm = from.q_norm;
        layer.k_norm = from.k_norm;
        layer.o_proj = transposed(from.o_proj);
        layer.post_attention_layernorm = from.post_attention_layernorm;
        layer.router = transposed(from.router);
        layer.experts = feed_forwards(from.experts);
        layer.shared_experts = feed_forwards(from.shared_experts);
        layers.push_back(std::move(layer));
    }
    norm = packed.final_norm;
    lm_head = transposed(packed.head());
}

}  // namespace mm::reference
