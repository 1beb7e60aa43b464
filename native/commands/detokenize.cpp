// mm-native detokenize: ids to text, exactly as Hugging Face tokenizers does.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "native/commands/command.hpp"
#include "native/files/json_lines.hpp"
#include "native/files/text_source.hpp"
#include "native/loading/tokenizer_search.hpp"

namespace mm {
namespace {

struct DetokenizeOptions {
    std::optional<std::string> ids;
    std::optional<std::string> jsonl;
    std::optional<std::string> tokenizer;
    bool skip_special = false;
    bool json = false;
};

bool is_id(const Json& value) {
    return value.is_number_integer() && value >= 0 && value <= std::numeric_limits<TokenId>::max();
}

int run(const DetokenizeOptions& options, Console& console) {
    if (options.ids.has_value() == options.jsonl.has_value()) {
        throw_error(ErrorKind::range, std::string(options.ids ? "only one of " : "one of ") +
                                          "--ids and --jsonl must be given");
    }
    const Tokenizer tokenizer = options.tokenizer ? read_tokenizer(*options.tokenizer) : demo_tokenizer();
    const auto decoded = [&](const std::vector<TokenId>& ids) {
        Json found;
        found["text"] = tokenizer.decode(ids, options.skip_special);
        return found;
    };
    if (options.ids) {
        const Json found = decoded(read_ids_argument("--ids", *options.ids));
        if (options.json) {
            print_json(console, found);
        } else {
            console.out.line(console.printable(found["text"].get<std::string>()));
        }
        return kDone;
    }
    JsonLines lines(*options.jsonl);
    for (Json value; lines.next(value);) {
        if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_id)) {
            throw lines.error("expected a JSON array of token ids (0 … 2147483647)");
        }
        print_json(console, decoded(value.get<std::vector<TokenId>>()));
        console.out.flush();
    }
    return kDone;
}

}  // namespace

void add_detokenize(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<DetokenizeOptions>();
    CLI::App& command = add_command(app, "detokenize", "Turn token ids into text, as Hugging Face does",
                                    "(--ids LIST | --jsonl FILE) [options]",
                                    "mm-native detokenize --ids 1,300,301 --skip-special");
    add_option(command,
               {"--ids", "LIST|@FILE",
                "token ids: 1,2,3; of a file; of standard input: @-; ids without a token add nothing"},
               options->ids);
    add_option(command,
               {"--jsonl", "FILE",
                "a JSON array of ids a line, answered by one JSON object a line; - is standard input"},
               options->jsonl);
    add_switch(command, {"--skip-special", "", "leave special tokens out"}, options->skip_special);
    add_option(command, {"--tokenizer", "FILE|DIR", "tokenizer.json or its folder", "Options", "the demo's"},
               options->tokenizer);
    add_json_switch(command, "text", options->json);
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
