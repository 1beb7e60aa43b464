#include "native/loading/prompt_model.hpp"

#include <filesystem>
#include <utility>

#include "native/files/file.hpp"
#include "native/loading/chat_form.hpp"

namespace mm {
namespace {

// Beside the tokenizer, and beside the checkpoint, which may be elsewhere.
std::vector<std::string> template_folders(const std::string& tokenizer_file, const std::string& model) {
    std::vector<std::string> folders;
    for (const std::string& file : {tokenizer_file, model}) {
        if (file.empty() || is_embedded(file)) continue;
        const std::filesystem::path path(file);
        const std::filesystem::path folder = is_folder(file) ? path : path.parent_path();
        folders.push_back(folder.empty() ? "." : folder.string());
    }
    return folders;
}

}  // namespace

PromptModel load_prompt_model(const ModelOptions& options, const PromptOptions& given, const Prompt& prompt,
                              Console& console) {
    const std::string name = options.model.value_or(prompt.question ? "demo:sft" : "demo:pretrain");
    PromptModel loaded{load_model(name, options, make_thread_pool(options), console), std::nullopt, {}};
    const TokenizerQuery query{
        .checkpoint = name, .given = options.tokenizer, .vocab_size = loaded.model.config().vocab_size};
    FoundTokenizer found =
        prompt.needs_tokenizer() ? require_tokenizer(query, console) : find_tokenizer(query, console);
    loaded.tokenizer = std::move(found.tokenizer);
    std::string form = given.chat_format.value_or("chatml");
    if (prompt.question && !given.chat_format)
        form = chat_form_beside(template_folders(found.file, name), console);
    loaded.prompt_ids = prompt.token_ids(loaded.tokenizer_or_null(), form);
    return loaded;
}

}  // namespace mm
