// The options of every command that loads a model.
#pragma once

#include <optional>
#include <string>

#include "core/decode/rng_stream.hpp"
#include "core/model/config.hpp"
#include "native/options/option.hpp"

namespace mm {

struct ModelOptions {
    std::optional<std::string> model;      // a file or demo:…; the command says what absent means
    std::optional<std::string> tokenizer;  // a file or a folder
    std::optional<std::string> config;
    std::optional<std::int64_t> threads;
    ConfigOptions values;
};

/// --model
void add_model_option(CLI::App& app, ModelOptions& options, const std::string& shown_default);
/// --tokenizer
void add_tokenizer_option(CLI::App& app, ModelOptions& options);
/// --config, --threads and the values that no file can tell
void add_loading_options(CLI::App& app, ModelOptions& options);

/// --chat-format
void add_chat_format_option(CLI::App& app, std::string& format, const std::string& group);
/// --rng
void add_rng_option(CLI::App& app, RngStream& stream);

}  // namespace mm
