// Small made-up models for the tests of ModelConfig, and the line that an error says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/model/config.hpp"
#include "tests/model/synthetic_model.hpp"

namespace mm::test {

inline ModelConfig small() {
    ModelConfig c;
    c.vocab_size = 30;
    c.hidden_size = 12;
    c.num_hidden_layers = 2;
    c.num_attention_heads = 4;
    c.num_key_value_heads = 2;
    c.head_dim = 6;
    c.intermediate_size = 10;
    return c;
}
inline ModelConfig small_moe() {
    ModelConfig c = small();
    c.use_moe = true;
    c.num_experts = 3;
    return c;
}
inline ModelConfig small_v2() {
    ModelConfig c = small();
    c.qk_norm = false;
    c.hidden_size = 16;
    c.head_dim = 4;
    return c;
}

inline ModelConfig read(const SyntheticCheckpoint& checkpoint, const Json& config = nullptr,
                        const ConfigOptions& options = {}) {
    return ModelConfig::from_checkpoint(checkpoint.table(), config.is_null() ? nullptr : &config,
                                        "config.json", options);
}

/// The error line of `call`; fails when it throws nothing or another kind.
inline std::string line_of(ErrorKind kind, const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(to_string(error.kind()), to_string(kind)) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

inline std::string config_error(const SyntheticCheckpoint& checkpoint, const Json& config,
                                ErrorKind kind = ErrorKind::config, const ConfigOptions& options = {}) {
    return line_of(kind, [&] { read(checkpoint, config, options); });
}

}  // namespace mm::test
