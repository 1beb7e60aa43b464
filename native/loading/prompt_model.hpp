// A model together with the tokenizer its prompt needs.
#pragma once

#include <optional>

#include "native/loading/load_model.hpp"
#include "native/loading/tokenizer_search.hpp"
#include "native/options/prompt_options.hpp"

namespace mm {

struct PromptModel {
    Model model;
    std::optional<Tokenizer> tokenizer;  // absent only when the prompt is ids and none was found

    const Tokenizer* tokenizer_or_null() const { return tokenizer ? &*tokenizer : nullptr; }
};

/// The checkpoint that --model names (demo:pretrain by default; demo:sft with --chat) and its tokenizer.
/// @throws Error naming the file; Error{tokenizer} when the prompt is text and no tokenizer fits
PromptModel load_prompt_model(const ModelOptions& options, const PromptOptions& prompt, Console& console);

}  // namespace mm
