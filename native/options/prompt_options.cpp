#include "native/options/prompt_options.hpp"

#include "core/base/error.hpp"
#include "core/text/chat.hpp"
#include "native/files/text_source.hpp"
#include "native/options/model_options.hpp"

namespace mm {
namespace {

constexpr TokenId kBos = 1;  // <|im_start|>

}  // namespace

Prompt PromptOptions::read(bool with_chat, Console& console) const {
    const int given = (ids ? 1 : 0) + (prompt ? 1 : 0) + (chat ? 1 : 0);
    if (given != 1) {
        const std::string choice = with_chat ? "--ids, --prompt and --chat" : "--ids and --prompt";
        throw_error(ErrorKind::range, (given == 0 ? "one of " : "only one of ") + choice + " must be given");
    }
    if (chat_format) static_cast<void>(chat_text(*chat_format, ""));  // refused before anything is read
    Prompt read;
    if (ids) {
        read.ids = read_ids_argument("--ids", *ids);
        if (read.ids->empty()) throw_error(ErrorKind::range, "at least one id is needed", {.field = "--ids"});
    }
    if (prompt) read.text = read_text_argument("--prompt", *prompt, console);
    if (chat) read.question = read_text_argument("--chat", *chat, console);
    return read;
}

std::vector<TokenId> Prompt::token_ids(const Tokenizer* tokenizer, const std::string& chat_format) const {
    if (ids) return *ids;
    if (tokenizer == nullptr) throw_error(ErrorKind::internal, "a text was given and no tokenizer");
    if (question) {
        std::vector<TokenId> list = tokenizer->encode(chat_text(chat_format, *question), false);
        if (list.empty()) throw_error(ErrorKind::range, "gives no token", {.field = "--chat"});
        return list;
    }
    std::vector<TokenId> list{kBos};
    const std::vector<TokenId> rest = tokenizer->encode(*text, false);
    list.insert(list.end(), rest.begin(), rest.end());
    return list;
}

void add_prompt_options(CLI::App& app, PromptOptions& options, bool with_chat) {
    constexpr const char* kGroup = "Prompt";
    add_option(app,
               {"--ids", "LIST|@FILE",
                "token ids, taken as they are: 1,2,3; of a file; of standard input: @-", kGroup},
               options.ids);
    add_option(app,
               {"--prompt", "TEXT|@FILE",
                "a text: <|im_start|> and then the text's ids; @@ for a text that begins with @", kGroup},
               options.prompt);
    if (!with_chat) return;
    add_option(app, {"--chat", "TEXT|@FILE", "a question, in the chat form that SFT models answer", kGroup},
               options.chat);
    add_option(app,
               {"--chat-format", "FORM", kChatFormatHelp, kGroup,
                "the chat template's beside the tokenizer, where it is one of these; else chatml"},
               options.chat_format);
}

}  // namespace mm
