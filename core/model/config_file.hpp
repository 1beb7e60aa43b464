// A config.json read into typed, optional fields: the step between JSON and ModelConfig.
//
// Accepts what MiniMind and Hugging Face transformers write, and small hand-written files with a few of the
// same fields. Refuses by name whatever asks for arithmetic that this project does not do, so that a file is
// never half understood. Does not know tensors: config.cpp compares the two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/json.hpp"
#include "core/model/config.hpp"

namespace mm {

/// Whose arithmetic and whose defaults hold: MiniMind's own, or those of a model type of transformers.
enum class Family { minimind, qwen3, qwen3_moe, llama, mistral };

/// Fields absent or null stay empty, but for those that transformers has a default for. Spelling as in the
/// file.
struct ConfigFile {
    Family family = Family::minimind;  // by model_type, or by the class in architectures
    std::string model_type;            // transformers' name of the family; empty for MiniMind
    std::optional<std::int64_t> vocab_size;
    std::optional<std::int64_t> hidden_size;
    std::optional<std::int64_t> num_hidden_layers;
    std::optional<std::int64_t> num_attention_heads;
    std::optional<std::int64_t> num_key_value_heads;
    std::optional<std::int64_t> head_dim;
    std::optional<std::int64_t> intermediate_size;
    std::optional<std::int64_t> moe_intermediate_size;
    std::optional<std::int64_t> num_experts;  // or n_routed_experts (MiniMind-2), num_local_experts
    std::optional<std::int64_t> n_shared_experts;
    std::optional<std::int64_t> num_experts_per_tok;
    std::optional<std::int64_t> max_position_embeddings;
    std::optional<double> rms_norm_eps;
    std::optional<double> rope_theta;
    std::optional<bool> inference_rope_scaling;
    std::optional<RopeScaling>
        rope_scaling;  // from the object, with MiniMind's values for what it leaves out
    std::optional<bool> tie_word_embeddings;
    std::optional<bool> qk_norm;
    std::optional<bool> use_moe;
    std::optional<bool> norm_topk_prob;
};

/// @throws Error{config} naming file and field: a value of the wrong type; Error{unsupported}: a value that
///         would change the result in a way not implemented.
ConfigFile read_config_file(const Json& config, const std::string& file);

}  // namespace mm
