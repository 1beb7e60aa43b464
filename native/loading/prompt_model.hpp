// A model together with its prompt's ids and the tokenizer they need.
#pragma once

#include <optional>
#include <vector>

#include "native/loading/load_model.hpp"
#include "native/loading/tokenizer_search.hpp"
#include "native/options/prompt_options.hpp"

namespace mm {

struct PromptModel {
    Model model;
    std::optional<Tokenizer> tokenizer;  // absent only when the prompt is ids and none was found
    std::vector<TokenId> prompt_ids;

    const Tokenizer* tokenizer_or_null() const { return tokenizer ? &*tokenizer : nullptr; }
};

/// The checkpoint that --model names (demo:pretrain by default; demo:sft with --chat) and its tokenizer. A
/// question is asked in the form that --chat-format says, else in that of the chat template beside the
/// tokenizer or the checkpoint, which is told in a note.
/// @param prompt  what `given` says, read
/// @throws Error naming the file; Error{tokenizer} when the prompt is text and no tokenizer fits
PromptModel load_prompt_model(const ModelOptions& options, const PromptOptions& given, const Prompt& prompt,
                              Console& console);

}  // namespace mm
