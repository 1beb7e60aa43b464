// The options of every command that loads a model.
#pragma once

#include <optional>
#include <string>

#include "core/base/error.hpp"
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

/// An error of the model's configuration about a value that an option gave, told under that option as
/// Error{range}; any other error unchanged.
Error told_under_option(const Error& error, const ConfigOptions& options);

/// --model
void add_model_option(CLI::App& app, ModelOptions& options, const std::string& shown_default);
/// --tokenizer
void add_tokenizer_option(CLI::App& app, ModelOptions& options);
/// --config, --threads and the values that no file can tell
void add_loading_options(CLI::App& app, ModelOptions& options);
/// All three.
void add_model_options(CLI::App& app, ModelOptions& options, const std::string& shown_default);

inline constexpr const char* kChatFormatHelp =
    "how a question becomes a prompt: chatml, minimind3 (with its empty <think> block), or a text with "
    "{question} in it, \\n for a line break";
/// --chat-format
void add_chat_format_option(CLI::App& app, std::string& format, const std::string& group);
/// --rng
void add_rng_option(CLI::App& app, RngStream& stream);

}  // namespace mm
