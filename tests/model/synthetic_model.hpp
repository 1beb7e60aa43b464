// Checkpoints made up in memory: random weights of any dimensions, as a TensorTable over float32 bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/checkpoint/tensor_table.hpp"
#include "core/model/config.hpp"

namespace mm::test {

/// Names, shapes and values; `table()` views them. Movable, not copyable, so that the views stay good.
class SyntheticCheckpoint {
  public:
    struct Tensor {
        std::string name;
        std::vector<std::int64_t> shape;
        std::vector<float> values;
    };

    SyntheticCheckpoint() = default;
    SyntheticCheckpoint(SyntheticCheckpoint&&) = default;

    /// Random weights for every tensor that `config` asks for, large enough that logits differ clearly.
    SyntheticCheckpoint(const ModelConfig& c, std::uint32_t seed) : random_(seed) {
        weight("model.embed_tokens.weight", {c.vocab_size, c.hidden_size}, 1);
        for (std::int64_t l = 0; l < c.num_hidden_layers; ++l) {
            const std::string layer = "model.layers." + std::to_string(l) + ".";
            norm(layer + "input_layernorm.weight", c.hidden_size);
            const std::int64_t q_rows = c.num_attention_heads * c.head_dim;
            const std::int64_t kv_rows = c.num_key_value_heads * c.head_dim;
            projection(layer + "self_attn.q_proj.weight", q_rows, c.hidden_size);
            projection(layer + "self_attn.k_proj.weight", kv_rows, c.hidden_size);
            projection(layer + "self_attn.v_proj.weight", kv_rows, c.hidden_size);
            projection(layer + "self_attn.o_proj.weight", c.hidden_size, q_rows);
            if (c.qk_norm) {
                norm(layer + "self_attn.q_norm.weight", c.head_dim);
                norm(layer + "self_attn.k_norm.weight", c.head_dim);
            }
            norm(layer + "post_attention_layernorm.weight", c.hidden_size);
            if (!c.use_moe) {
                feed_forward(layer + "mlp.", c);
                continue;
            }
            projection(layer + "mlp.gate.weight", c.num_experts, c.hidden_size);
            for (std::int64_t e = 0; e < c.num_experts; ++e) {
                feed_forward(layer + "mlp.experts." + std::to_string(e) + ".", c);
            }
            for (std::int64_t e = 0; e < c.num_shared_experts; ++e) {
                feed_forward(layer + "mlp.shared_experts." + std::to_string(e) + ".", c);
            }
        }
        norm("model.norm.weight", c.hidden_size);
        if (!c.tie_word_embeddings) projection("lm_head.weight", c.vocab_size, c.hidden_size);
    }

    std::deque<Tensor>& tensors() { return tensors_; }
    const Tensor& at(const std::string& name) const {
        for (const Tensor& tensor : tensors_) {
            if (tensor.name == name) return tensor;
        }
        throw std::runtime_error("no tensor " + name);
    }
    void set(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values) {
        for (Tensor& tensor : tensors_) {
            if (tensor.name == name) {
                tensor = {name, std::move(shape), std::move(values)};
                return;
            }
        }
        tensors_.push_back({name, std::move(shape), std::move(values)});
    }
    /// As `set`, filled with one value.
    void fill(const std::string& name, std::vector<std::int64_t> shape, float value) {
        std::size_t count = 1;
        for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
        set(name, std::move(shape), std::vector<float>(count, value));
    }
    void remove(const std::string& name) {
        for (auto at = tensors_.begin(); at != tensors_.end(); ++at) {
            if (at->name == name) {
                tensors_.erase(at);
                return;
            }
        }
        throw std::runtime_error("no tensor " + name);
    }

    TensorTable table() const {
        TensorTable table("made_up.pth", "torch zip");
        for (const Tensor& tensor : tensors_) {
            TensorView view;
            view.shape = tensor.shape;
            view.strides.assign(tensor.shape.size(), 1);
            for (std::size_t d = tensor.shape.size(); d-- > 1;) {
                view.strides[d - 1] = view.strides[d] * tensor.shape[d];
            }
            view.data = reinterpret_cast<const std::byte*>(tensor.values.data());
            table.add(tensor.name, view);
        }
        return table;
    }

  private:
    void weight(const std::string& name, std::vector<std::int64_t> shape, double deviation) {
        std::normal_distribution<double> normal(0, deviation);
        std::size_t count = 1;
        for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
        std::vector<float> values(count);
        for (float& value : values) value = static_cast<float>(normal(random_));
        tensors_.push_back({name, std::move(shape), std::move(values)});
    }
    void projection(const std::string& name, std::int64_t rows, std::int64_t columns) {
        weight(name, {rows, columns}, 1.2 / std::sqrt(static_cast<double>(columns)));
    }
    void norm(const std::string& name, std::int64_t size) {
        weight(name, {size}, 0.2);
        for (float& value : tensors_.back().values) value += 1;
    }
    void feed_forward(const std::string& prefix, const ModelConfig& c) {
        projection(prefix + "gate_proj.weight", c.intermediate_size, c.hidden_size);
        projection(prefix + "up_proj.weight", c.intermediate_size, c.hidden_size);
        projection(prefix + "down_proj.weight", c.hidden_size, c.intermediate_size);
    }

    std::mt19937 random_{0};
    std::deque<Tensor> tensors_;
};

}  // namespace mm::test
