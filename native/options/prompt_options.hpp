// Where a command's prompt comes from: ids, a text, or a question in chat form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/text/tokenizer.hpp"
#include "native/options/option.hpp"
#include "native/terminal/console.hpp"

namespace mm {

/// What was given, with the content of files in place of their names. One of the three is there.
struct Prompt {
    std::optional<std::vector<TokenId>> ids;
    std::optional<std::string> text;
    std::optional<std::string> question;

    bool needs_tokenizer() const { return !ids; }
    /// @param tokenizer    may be null when there are ids
    /// @param chat_format  of a question, see chat_text()
    /// @throws Error{range} no id at all
    std::vector<TokenId> token_ids(const Tokenizer* tokenizer, const std::string& chat_format) const;
};

struct PromptOptions {
    std::optional<std::string> ids;
    std::optional<std::string> prompt;
    std::optional<std::string> chat;
    std::optional<std::string> chat_format;  // absent: what belongs to the tokenizer

    /// Exactly one source must be given. Reads the file or standard input that it may name.
    /// @throws Error{range}, and of the file
    Prompt read(bool with_chat, Console& console) const;
};

/// --ids and --prompt; `with_chat` adds --chat and --chat-format.
void add_prompt_options(CLI::App& app, PromptOptions& options, bool with_chat);

}  // namespace mm
