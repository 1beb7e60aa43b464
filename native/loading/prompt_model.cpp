#include "native/loading/prompt_model.hpp"

#include <utility>

namespace mm {

PromptModel load_prompt_model(const ModelOptions& options, const PromptOptions& prompt, Console& console) {
    const std::string name = options.model.value_or(prompt.chat ? "demo:sft" : "demo:pretrain");
    PromptModel loaded{load_model(name, options, make_thread_pool(options), console), std::nullopt};
    const TokenizerQuery query{
        .checkpoint = name, .given = options.tokenizer, .vocab_size = loaded.model.config().vocab_size};
    if (prompt.needs_tokenizer()) {
        loaded.tokenizer = require_tokenizer(query, console);
    } else {
        loaded.tokenizer = find_tokenizer(query, console).tokenizer;
    }
    return loaded;
}

}  // namespace mm
