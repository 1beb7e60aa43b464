// mm-native tokenize: text to ids, exactly as Hugging Face tokenizers does.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "core/base/printable.hpp"
#include "core/base/utf8.hpp"
#include "native/commands/command.hpp"
#include "native/files/json_lines.hpp"
#include "native/loading/tokenizer_search.hpp"
#include "native/terminal/signals.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

struct TokenizeOptions {
    std::optional<std::string> text;
    std::optional<std::string> file;
    std::optional<std::string> jsonl;
    std::optional<std::string> tokenizer;
    bool no_special = false;
    bool json = false;
};

constexpr std::size_t kLargestText = std::size_t{256} << 20;

// {"ids": […], "pieces": […]}, written as it is made: of a large text it is many times the ids' size.
void print_answer(Console& console, const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
    std::string_view comma;
    console.out.write("{\"ids\": [");
    for (const TokenId id : ids) {
        throw_if_stopped();
        console.out.write(comma);
        console.out.write(std::to_string(id));
        comma = ", ";
    }
    comma = "";
    console.out.write("], \"pieces\": [");
    for (const TokenId id : ids) {
        throw_if_stopped();
        console.out.write(comma);
        console.out.write(Json(tokenizer.piece(id)).dump(-1, ' ', true));
        comma = ", ";
    }
    console.out.write("]}\n");
}

// First a line that --ids takes, then each id with its piece and the text it stands for.
void print_for_people(Console& console, const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
    std::string_view comma;
    for (const TokenId id : ids) {
        console.out.write(comma);
        console.out.write(std::to_string(id));
        comma = ",";
    }
    console.out.write("\n");
    // In blocks, each with columns of its own, so that none of a large text's rows is kept.
    constexpr std::size_t kBlock = 4096;
    for (std::size_t from = 0; from < ids.size(); from += kBlock) {
        Rows rows;
        for (const TokenId id : std::span(ids).subspan(from, std::min(kBlock, ids.size() - from))) {
            throw_if_stopped();
            rows.add(std::to_string(id), printable(tokenizer.piece(id)) + "  " +
                                             printable(tokenizer.decode(std::vector<TokenId>{id}, false)));
        }
        console.out.write(rows.text(console.columns()));
    }
}

void tokenize_lines(const TokenizeOptions& options, const Tokenizer& tokenizer, Console& console) {
    JsonLines lines(*options.jsonl);
    for (Json value; lines.next(value);) {
        if (!value.is_string()) throw lines.error("expected a JSON string");
        const auto text = value.get<std::string>();
        const auto ids = lines.located([&] { return tokenizer.encode(text, !options.no_special); });
        print_answer(console, ids, tokenizer);
        console.out.flush();
    }
}

int run(const TokenizeOptions& options, Console& console) {
    const int given = (options.text ? 1 : 0) + (options.file ? 1 : 0) + (options.jsonl ? 1 : 0);
    if (given != 1) {
        throw_error(ErrorKind::range, std::string(given == 0 ? "one of " : "only one of ") +
                                          "TEXT, --file and --jsonl must be given");
    }
    const Tokenizer tokenizer = options.tokenizer ? read_tokenizer(*options.tokenizer) : demo_tokenizer();
    if (options.jsonl) {
        tokenize_lines(options, tokenizer, console);
        return kDone;
    }
    const std::string text = options.text ? *options.text : read_stream(*options.file, kLargestText);
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string::npos) {
        throw_error(ErrorKind::format, "is not UTF-8 at byte " + std::to_string(bad),
                    {.file = stream_name(*options.file)});
    }
    const std::vector<TokenId> ids = tokenizer.encode(text, !options.no_special);
    if (options.json) {
        print_answer(console, ids, tokenizer);
    } else {
        print_for_people(console, ids, tokenizer);
    }
    return kDone;
}

}  // namespace

void add_tokenize(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<TokenizeOptions>();
    CLI::App& command =
        add_command(app, "tokenize", "Turn text into token ids, as Hugging Face does",
                    "(TEXT | --file FILE | --jsonl FILE) [options]", "mm-native tokenize '가람 마을' --json");
    add_option(command, {"TEXT", "TEXT", "the text; after -- when it begins with a dash"}, options->text);
    add_option(command, {"--file", "FILE", "a text file as one text; - is standard input"}, options->file);
    add_option(
        command,
        {"--jsonl", "FILE", "a JSON string a line, answered by one JSON object a line; - is standard input"},
        options->jsonl);
    add_switch(
        command,
        {"--no-special", "",
         "add_special_tokens=False: the post-processor adds nothing; special tokens inside the text are "
         "recognised all the same"},
        options->no_special);
    add_option(command, {"--tokenizer", "FILE|DIR", "tokenizer.json or its folder", "Options", "the demo's"},
               options->tokenizer);
    add_json_switch(command, "ids, pieces (in the vocabulary's byte alphabet)", options->json);
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
