#include "core/model/config.hpp"

#include <cmath>
#include <utility>

#include "core/base/join.hpp"
#include "core/model/rope.hpp"

namespace mm {
namespace {

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    if (b != 0 && a > UINT64_MAX / b) throw_error(ErrorKind::config, "the model's size overflows 64 bits");
    return a * b;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    if (a > UINT64_MAX - b) throw_error(ErrorKind::config, "the model's size overflows 64 bits");
    return a + b;
}

std::uint64_t u(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

/// Parameters of one layer when `experts` routed experts are counted.
std::uint64_t layer_parameters(const ModelConfig& c, std::uint64_t experts) {
    const std::uint64_t hidden = u(c.hidden_size);
    const std::uint64_t heads = multiply(add(u(c.num_attention_heads), u(c.num_key_value_heads)), 2);
    std::uint64_t sum = multiply(multiply(heads, u(c.head_dim)), hidden);  // q, o over H; k, v over G
    sum = add(sum, multiply(2, hidden));                                   // two layer norms
    if (c.qk_norm) sum = add(sum, multiply(2, u(c.head_dim)));
    const std::uint64_t feed_forward = multiply(multiply(3, u(c.intermediate_size)), hidden);
    if (!c.use_moe) return add(sum, feed_forward);
    sum = add(sum, multiply(u(c.num_experts), hidden));  // router
    return add(sum, multiply(add(experts, u(c.num_shared_experts)), feed_forward));
}

/// Angles are float32: position × frequency must stay within it, or cos and sin are no numbers.
void check_frequencies(ModelConfig c) {
    const auto last = static_cast<float>(c.max_position_embeddings - 1);
    const auto check = [&](const char* field) {
        for (const float frequency : rope_frequencies(c)) {
            if (std::isfinite(frequency) && std::isfinite(frequency * last)) continue;
            throw_error(ErrorKind::config, "gives rotary frequencies that are not finite", {.field = field});
        }
    };
    const std::optional<RopeScaling> scaling = std::exchange(c.rope_scaling, {});
    check("rope_theta");
    c.rope_scaling = scaling;
    if (scaling) check("rope_scaling");
}

}  // namespace

void ModelConfig::validate() const {
    const auto fail = [](const char* field, std::string_view message) {
        throw_error(ErrorKind::config, message, {.field = field});
    };
    const auto within = [&](const char* field, std::int64_t value, std::int64_t most) {
        if (value < 1 || value > most) {
            fail(field, join({value, " is not in 1 … ", most}));
        }
    };
    constexpr std::int64_t kInt32 = INT32_MAX;  // what a TokenId and a position count hold
    within("vocab_size", vocab_size, kInt32);
    within("hidden_size", hidden_size, 1 << 20);
    within("num_hidden_layers", num_hidden_layers, 1 << 12);
    within("num_attention_heads", num_attention_heads, 1 << 16);
    within("num_key_value_heads", num_key_value_heads, num_attention_heads);
    if (num_attention_heads % num_key_value_heads != 0) {
        fail("num_key_value_heads",
             join({num_key_value_heads, " does not divide num_attention_heads ", num_attention_heads}));
    }
    within("head_dim", head_dim, 1 << 16);
    if (head_dim % 2 != 0) fail("head_dim", join({head_dim, " is odd: rotary embedding pairs dimensions"}));
    within("intermediate_size", intermediate_size, 1 << 24);
    within("max_position_embeddings", max_position_embeddings, kInt32);
    // Compared as the float32 numbers they are used as; written so that NaN fails.
    if (!(static_cast<float>(rms_norm_eps) > 0) || !(rms_norm_eps < 1)) {
        fail("rms_norm_eps", "must be above 0 and below 1");
    }
    if (!(static_cast<float>(rope_theta) > 0) || !(rope_theta < 1e30)) {
        fail("rope_theta", "must be above 0 and below 1e30");
    }
    if (use_moe) {
        within("num_experts", num_experts, 1 << 16);
        within("num_experts_per_tok", num_experts_per_tok, num_experts);
    }
    if (rope_scaling) {
        const RopeScaling& s = *rope_scaling;
        const auto positive = [&](const char* field, double value) {
            if (!(static_cast<float>(value) > 0) || !(value < 1e30))
                fail(field, "must be above 0 and below 1e30");
        };
        positive("rope_scaling.factor", s.factor);
        positive("rope_scaling.beta_fast", s.beta_fast);
        positive("rope_scaling.beta_slow", s.beta_slow);
        positive("rope_scaling.attention_factor", s.attention_factor);
        within("rope_scaling.original_max_position_embeddings", s.original_max_position_embeddings, kInt32);
        if (rope_theta == 1) fail("rope_theta", "1 leaves YaRN no wavelengths to tell apart");
    }
    check_frequencies(*this);
    if (parameter_count() > std::uint64_t{1} << 40) {
        fail("parameters", "more than 2^40 parameters cannot be held in memory");
    }
}

std::uint64_t ModelConfig::kv_bytes(std::uint64_t tokens) const {
    const std::uint64_t per_token = multiply(
        multiply(multiply(8, u(num_hidden_layers)), u(num_key_value_heads)), u(head_dim));  // 2 × 4 bytes
    if (per_token != 0 && tokens > UINT64_MAX / per_token) {
        throw_error(ErrorKind::range, "the cache's size overflows 64 bits", {.field = "tokens"});
    }
    return per_token * tokens;
}

std::uint64_t ModelConfig::kv_bytes_after_repeat(std::uint64_t tokens) const {
    ModelConfig repeated = *this;
    repeated.num_key_value_heads = num_attention_heads;
    return repeated.kv_bytes(tokens);
}

std::uint64_t ModelConfig::parameter_count() const {
    const std::uint64_t embedding = multiply(u(vocab_size), u(hidden_size));
    const std::uint64_t layers = multiply(u(num_hidden_layers), layer_parameters(*this, u(num_experts)));
    const std::uint64_t heads = multiply(embedding, tie_word_embeddings ? 1 : 2);
    return add(add(heads, layers), u(hidden_size));
}

std::uint64_t ModelConfig::active_bytes() const {
    const std::uint64_t head = multiply(u(vocab_size), u(hidden_size));
    const std::uint64_t layers =
        multiply(u(num_hidden_layers), layer_parameters(*this, use_moe ? u(num_experts_per_tok) : 0));
    // The head, the final norm and one embedding row.
    return multiply(4, add(add(head, layers), multiply(2, u(hidden_size))));
}

std::string ModelConfig::architecture() const {
    return join({qk_norm ? "minimind-3" : "minimind-2", use_moe ? "-moe" : ""});
}

}  // namespace mm
