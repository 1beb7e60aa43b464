#include "native/options/prompt_options.hpp"

#include "core/base/error.hpp"
#include "core/text/chat.hpp"
#include "native/options/model_options.hpp"

namespace mm {
namespace {

constexpr TokenId kBos = 1;  // <|im_start|>

}  // namespace

void PromptOptions::validate(bool with_chat) const {
    const int given = (ids ? 1 : 0) + (prompt ? 1 : 0) + (chat ? 1 : 0);
    if (given == 1) return;
    const std::string choice = with_chat ? "--ids, --prompt and --chat" : "--ids and --prompt";
    throw Error(ErrorKind::range, (given == 0 ? "one of " : "only one of ") + choice + " must be given");
}

std::vector<TokenId> PromptOptions::token_ids(const Tokenizer* tokenizer) const {
    if (ids) {
        std::vector<TokenId> list = parse_ids("--ids", *ids);
        if (list.empty()) throw Error(ErrorKind::range, "at least one id is needed", {.field = "--ids"});
        return list;
    }
    if (tokenizer == nullptr) throw Error(ErrorKind::internal, "a text was given and no tokenizer");
    if (chat) {
        std::vector<TokenId> list = tokenizer->encode(chat_text(chat_format, *chat), false);
        if (list.empty()) throw Error(ErrorKind::range, "gives no token", {.field = "--chat"});
        return list;
    }
    std::vector<TokenId> list{kBos};
    const std::vector<TokenId> text = tokenizer->encode(*prompt, false);
    list.insert(list.end(), text.begin(), text.end());
    return list;
}

void add_prompt_options(CLI::App& app, PromptOptions& options, bool with_chat) {
    constexpr const char* kGroup = "Prompt";
    add_option(app, {"--ids", "LIST", "token ids, taken as they are: 1,2,3", kGroup}, options.ids);
    add_option(app, {"--prompt", "TEXT", "a text: <|im_start|> and then the text's ids", kGroup},
               options.prompt);
    if (!with_chat) return;
    add_option(app, {"--chat", "TEXT", "a question, in the chat form that SFT models answer", kGroup},
               options.chat);
    add_chat_format_option(app, options.chat_format, kGroup);
}

}  // namespace mm
