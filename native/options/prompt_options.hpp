// Where a command's prompt comes from: ids, a text, or a question in chat form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/text/tokenizer.hpp"
#include "native/options/option.hpp"

namespace mm {

struct PromptOptions {
    std::optional<std::string> ids;
    std::optional<std::string> prompt;
    std::optional<std::string> chat;
    std::string chat_format = "chatml";

    bool needs_tokenizer() const { return prompt || chat; }
    /// Exactly one source must be given. @throws Error{range}
    void validate(bool with_chat) const;
    /// @param tokenizer may be null when ids were given
    /// @throws Error{range} no id at all, or one that is no number
    std::vector<TokenId> token_ids(const Tokenizer* tokenizer) const;
};

/// --ids and --prompt; `with_chat` adds --chat and --chat-format.
void add_prompt_options(CLI::App& app, PromptOptions& options, bool with_chat);

}  // namespace mm
