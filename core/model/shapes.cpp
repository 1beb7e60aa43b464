#include "core/model/shapes.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <string_view>

#include "core/base/join.hpp"
#include "core/model/tensor_names.hpp"

namespace mm {
namespace {

/// The view of a tensor that must be there with `dimensions` dimensions, none of them empty.
const TensorView& need(const TensorTable& table, std::string_view name, std::size_t dimensions) {
    const TensorView* view = table.find(name);
    if (view == nullptr) {
        throw_error(ErrorKind::format, "the checkpoint lacks this tensor",
                    {.file = table.file_of(name), .tensor = std::string(name)});
    }
    if (view->shape.size() != dimensions) {
        bad_shape(table, name,
                  join({"expected ", dimensions, " dimensions, found ", shape_string(view->shape)}));
    }
    for (const std::int64_t size : view->shape) {
        if (size < 1) bad_shape(table, name, join({"is empty: ", shape_string(view->shape)}));
    }
    return *view;
}

/// A file without an embedding is something else; says what, if its names tell.
void check_is_a_model(const TensorTable& table) {
    if (table.contains(names::kEmbedTokens)) return;
    std::string hint;
    const bool has_embedding =
        std::any_of(table.entries().begin(), table.entries().end(),
                    [](const auto& entry) { return entry.name.ends_with("embed_tokens.weight"); });
    if (table.contains("tok_embeddings.weight")) {
        hint =
            "these are the names of MiniMind-V1 and the first MiniMind2, whose rotary embedding is another "
            "one: such a model is run by the MiniMind release that it was trained with";
    } else if (table.contains("embed_tokens.weight")) {
        hint =
            "these are the inner model's tensors: save the state_dict of the whole causal language model, "
            "whose names begin with \"model.\"";
    }
    for (const auto& entry : table.entries()) {
        if (!hint.empty()) break;
        if (entry.name.find(".base_layer.") != std::string::npos) {
            hint = "this is a PEFT model whose adapter is not merged: save merge_and_unload()'s state_dict";
            break;
        }
        const bool lora = entry.name.find("lora") != std::string::npos;
        if (lora && !has_embedding) {
            hint = "this looks like LoRA weights alone: merge them into their base model first";
            break;
        }
        if (entry.name.ends_with(names::kEmbedTokens)) {
            const std::string prefix =
                entry.name.substr(0, entry.name.size() - std::string_view(names::kEmbedTokens).size());
            hint = join({"its tensors are there under the prefix \"", prefix,
                         "\": save the inner module's state_dict"});
            break;
        }
    }
    throw_error(ErrorKind::format, "the checkpoint lacks this tensor",
                {.file = table.file(), .tensor = names::kEmbedTokens}, hint);
}

/// The number that stands between `prefix` and the next '.', when there is one in canonical form.
std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return {};
    name.remove_prefix(prefix.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    const auto digits = static_cast<std::size_t>(end - name.data());
    if (error != std::errc() || digits == 0 || digits == name.size() || *end != '.' || value < 0) return {};
    if (digits > 1 && name[0] == '0') return {};
    return value;
}

/// How many consecutive numbers follow `prefix` in tensor names. A gap is an error: `what` names it.
std::int64_t count_numbered(const TensorTable& table, const std::string& prefix, const char* what) {
    std::set<std::int64_t> found;
    for (const auto& entry : table.entries()) {
        if (const auto number = number_after(entry.name, prefix)) found.insert(*number);
    }
    std::int64_t next = 0;
    for (const std::int64_t number : found) {
        if (number != next) {
            throw_error(ErrorKind::format,
                        join({what, " ", next, " is missing, but there is ", what, " ", number}),
                        {.file = table.file(), .tensor = join({prefix, next})});
        }
        ++next;
    }
    return next;
}

/// Whether two matrices hold the same elements, bit for bit.
bool same_values(const TensorView& a, const TensorView& b) {
    if (a.dtype != b.dtype || a.shape != b.shape) return false;
    if (a.data == b.data && a.strides == b.strides) return true;
    const std::size_t size = item_size(a.dtype);
    const auto at = [size](const TensorView& v, std::int64_t i, std::int64_t j) {
        return v.data + static_cast<std::size_t>(i * v.strides[0] + j * v.strides[1]) * size;
    };
    const std::int64_t columns = a.shape[1];
    const bool rows_contiguous = a.strides[1] == 1 && b.strides[1] == 1;
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
        if (rows_contiguous) {
            if (std::memcmp(at(a, i, 0), at(b, i, 0), static_cast<std::size_t>(columns) * size) != 0)
                return false;
            continue;
        }
        for (std::int64_t j = 0; j < columns; ++j) {
            if (std::memcmp(at(a, i, j), at(b, i, j), size) != 0) return false;
        }
    }
    return true;
}

}  // namespace

void bad_shape(const TensorTable& table, std::string_view name, std::string_view message) {
    throw_error(ErrorKind::shape, message,
                {.file = table.file_of(name), .tensor = std::string(name), .field = "shape"});
}

Shapes read_shapes(const TensorTable& table) {
    check_is_a_model(table);
    Shapes out;
    ModelConfig& c = out.config;
    const TensorView& embed = need(table, names::kEmbedTokens, 2);
    c.vocab_size = embed.shape[0];
    c.hidden_size = embed.shape[1];
    c.num_hidden_layers = count_numbered(table, names::kLayers, "layer");
    const std::string first = names::layer(0);
    out.q_rows = need(table, first + names::kQProj, 2).shape[0];
    out.k_rows = need(table, first + names::kKProj, 2).shape[0];
    c.qk_norm = false;
    for (const auto& entry : table.entries()) {
        if (entry.name.ends_with(names::kQNorm) || entry.name.ends_with(names::kKNorm)) c.qk_norm = true;
    }
    if (c.qk_norm) c.head_dim = need(table, first + names::kQNorm, 1).shape[0];

    c.num_experts = count_numbered(table, first + names::kExperts, "expert");
    c.use_moe = c.num_experts > 0 || table.contains(first + names::kRouter);
    if (c.use_moe) {
        c.num_shared_experts = count_numbered(table, first + names::kSharedExperts, "shared expert");
        const TensorView& router = need(table, first + names::kRouter, 2);
        if (router.shape[0] != c.num_experts) {
            bad_shape(table, first + names::kRouter,
                      join({"expected [", c.num_experts, ", ", c.hidden_size,
                            "] for the experts found, found ", shape_string(router.shape)}));
        }
    }
    const std::string feed_forward = c.use_moe ? names::expert(0, 0) : first + names::kMlp;
    c.intermediate_size = need(table, feed_forward + names::kGateProj, 2).shape[0];

    c.tie_word_embeddings = true;
    if (table.contains(names::kLmHead)) {
        c.tie_word_embeddings = same_values(need(table, names::kLmHead, 2), embed);
    }
    return out;
}

}  // namespace mm
