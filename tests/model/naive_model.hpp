// MiniMind's forward pass once more, written for the eye: double precision, no cache, no packing, no batches,
// everything recomputed for every position. Shares nothing with core/ but the config's fields.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/model/config.hpp"
#include "tests/model/synthetic_model.hpp"

namespace mm::test {

class NaiveModel {
  public:
    using Row = std::vector<double>;
    using Rows = std::vector<Row>;

    NaiveModel(const SyntheticCheckpoint& checkpoint, const ModelConfig& config)
        : checkpoint_(checkpoint), c_(config), frequencies_(frequencies(config)) {}

    /// Logits [T][V] of every position.
    Rows forward(const std::vector<TokenId>& ids) const {
        Rows x;
        for (const TokenId id : ids) x.push_back(row_of("model.embed_tokens.weight", id));
        for (std::int64_t l = 0; l < c_.num_hidden_layers; ++l) {
            const std::string layer = "model.layers." + std::to_string(l) + ".";
            Rows normed;
            for (const Row& row : x) normed.push_back(norm(row, layer + "input_layernorm.weight"));
            const Rows attended = attention(normed, layer + "self_attn.");
            for (std::size_t t = 0; t < x.size(); ++t) {
                add(x[t], attended[t], 1);
                const Row in = norm(x[t], layer + "post_attention_layernorm.weight");
                add(x[t], c_.use_moe ? mixture(in, layer + "mlp.") : gated(in, layer + "mlp."), 1);
            }
        }
        Rows logits;
        for (const Row& row : x) {
            logits.push_back(product(c_.tie_word_embeddings ? "model.embed_tokens.weight" : "lm_head.weight",
                                     norm(row, "model.norm.weight")));
        }
        return logits;
    }

  private:
    /// As MiniMind writes it down, with its float32 roundings where they move an angle: they are part of the
    /// law.
    static std::vector<float> frequencies(const ModelConfig& c) {
        std::vector<float> out;
        const double dim = static_cast<double>(c.head_dim);
        for (std::int64_t i = 0; i < c.head_dim / 2; ++i) {
            const float exponent = static_cast<float>(2 * i) / static_cast<float>(c.head_dim);
            const float base = static_cast<float>(c.rope_theta);
            out.push_back(1.0f / static_cast<float>(std::pow(double{base}, double{exponent})));
        }
        if (!c.rope_scaling) return out;
        const RopeScaling& s = *c.rope_scaling;
        const double original = static_cast<double>(s.original_max_position_embeddings);
        if (static_cast<double>(c.max_position_embeddings) / original <= 1) return out;
        const auto at = [&](double beta) {
            return dim * std::log(original / (beta * 2 * M_PI)) / (2 * std::log(c.rope_theta));
        };
        const double low = std::max(std::floor(at(s.beta_fast)), 0.0);
        const double high = std::min(std::ceil(at(s.beta_slow)), dim / 2 - 1);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double ramp =
                std::clamp((static_cast<double>(i) - low) / std::max(high - low, 0.001), 0.0, 1.0);
            out[i] = static_cast<float>(out[i] * (1 - ramp + ramp / s.factor));
        }
        return out;
    }

    Row row_of(const std::string& name, std::int64_t index) const {
        const auto& tensor = checkpoint_.at(name);
        const auto width = static_cast<std::ptrdiff_t>(tensor.shape[1]);
        return Row(tensor.values.begin() + index * width, tensor.values.begin() + (index + 1) * width);
    }

    Row product(const std::string& name, const Row& x) const {
        Row out;
        for (std::int64_t n = 0; n < checkpoint_.at(name).shape[0]; ++n) {
            const Row weights = row_of(name, n);
            out.push_back(std::inner_product(x.begin(), x.end(), weights.begin(), 0.0));
        }
        return out;
    }

    Row norm(const Row& x, const std::string& name) const {
        double square = 0;
        for (const double value : x) square += value * value;
        const double scale = 1 / std::sqrt(square / static_cast<double>(x.size()) + c_.rms_norm_eps);
        Row out = x;
        for (std::size_t i = 0; i < x.size(); ++i) out[i] *= scale * double{checkpoint_.at(name).values[i]};
        return out;
    }

    static void add(Row& x, const Row& y, double weight) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i] * weight;
    }

    static Row softmax(Row x) {
        const double largest = *std::max_element(x.begin(), x.end());
        double sum = 0;
        for (double& value : x) sum += value = std::exp(value - largest);
        for (double& value : x) value /= sum;
        return x;
    }

    /// Head `index` of a projected row, normed and rotated.
    Row head(const Row& row, std::size_t index, std::size_t position, const std::string& norm_name) const {
        const auto width = static_cast<std::size_t>(c_.head_dim);
        Row x(row.begin() + static_cast<std::ptrdiff_t>(index * width),
              row.begin() + static_cast<std::ptrdiff_t>((index + 1) * width));
        if (norm_name.empty()) return x;
        if (c_.qk_norm) x = norm(x, norm_name);
        Row out(width);
        const double factor = c_.rope_scaling ? c_.rope_scaling->attention_factor : 1;
        for (std::size_t i = 0; i < width / 2; ++i) {
            const float angle = static_cast<float>(position) * frequencies_[i];
            const double cos = std::cos(double{angle}) * factor;
            const double sin = std::sin(double{angle}) * factor;
            out[i] = x[i] * cos - x[i + width / 2] * sin;
            out[i + width / 2] = x[i + width / 2] * cos + x[i] * sin;
        }
        return out;
    }

    Rows attention(const Rows& x, const std::string& prefix) const {
        const auto heads = static_cast<std::size_t>(c_.num_attention_heads);
        const std::size_t group = heads / static_cast<std::size_t>(c_.num_key_value_heads);
        Rows q, k, v, out;
        for (const Row& row : x) {
            q.push_back(product(prefix + "q_proj.weight", row));
            k.push_back(product(prefix + "k_proj.weight", row));
            v.push_back(product(prefix + "v_proj.weight", row));
        }
        for (std::size_t t = 0; t < x.size(); ++t) {
            Row joined;
            for (std::size_t h = 0; h < heads; ++h) {
                const Row query = head(q[t], h, t, prefix + "q_norm.weight");
                Row scores;
                for (std::size_t s = 0; s <= t; ++s) {
                    const Row key = head(k[s], h / group, s, prefix + "k_norm.weight");
                    scores.push_back(std::inner_product(query.begin(), query.end(), key.begin(), 0.0) /
                                     std::sqrt(static_cast<double>(c_.head_dim)));
                }
                scores = softmax(scores);
                Row sum(query.size(), 0.0);
                for (std::size_t s = 0; s <= t; ++s) add(sum, head(v[s], h / group, s, ""), scores[s]);
                joined.insert(joined.end(), sum.begin(), sum.end());
            }
            out.push_back(product(prefix + "o_proj.weight", joined));
        }
        return out;
    }

    Row gated(const Row& x, const std::string& prefix) const {
        Row gate = product(prefix + "gate_proj.weight", x);
        const Row up = product(prefix + "up_proj.weight", x);
        for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
        return product(prefix + "down_proj.weight", gate);
    }

    Row mixture(const Row& x, const std::string& prefix) const {
        const Row scores = softmax(product(prefix + "gate.weight", x));
        std::vector<std::size_t> order(scores.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
        order.resize(static_cast<std::size_t>(c_.num_experts_per_tok));
        double sum = 0;
        for (const std::size_t e : order) sum += scores[e];
        const bool normalise = c_.norm_topk_prob && (c_.qk_norm || order.size() > 1);
        Row out(x.size(), 0.0);
        for (const std::size_t e : order) {
            add(out, gated(x, prefix + "experts." + std::to_string(e) + "."),
                normalise ? scores[e] / (sum + 1e-20) : scores[e]);
        }
        for (std::int64_t e = 0; e < c_.num_shared_experts; ++e) {
            add(out, gated(x, prefix + "shared_experts." + std::to_string(e) + "."), 1);
        }
        return out;
    }

    const SyntheticCheckpoint& checkpoint_;
    ModelConfig c_;
    std::vector<float> frequencies_;
};

}  // namespace mm::test
