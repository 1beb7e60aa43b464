// mm-native generate: MiniMind's generate, streamed for people or whole as JSON.
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>

#include "core/decode/generate.hpp"
#include "native/commands/command.hpp"
#include "native/loading/prompt_model.hpp"
#include "native/terminal/signals.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

struct GenerateCommand {
    ModelOptions model;
    PromptOptions prompt;
    GenerateOptions generate;
    bool greedy = false;
    bool no_cache = false;
    bool json = false;
    bool top_k_typed = false;
};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The new ids of a row before its first eos.
std::span<const TokenId> answer(const std::vector<TokenId>& row, const GenerateOptions& options) {
    const auto end =
        options.eos_token_id ? std::find(row.begin(), row.end(), *options.eos_token_id) : row.end();
    return {row.begin(), end};
}

// Writes one row's text (its ids when there is no tokenizer) while it comes.
class Streamer {
  public:
    Streamer(Console& console, const Tokenizer* tokenizer, std::optional<TokenId> eos)
        : console_(console), eos_(eos) {
        if (tokenizer != nullptr) decoder_ = tokenizer->stream(false);
    }

    void push(TokenId id) {
        if (ended_) return;
        ended_ = eos_ && id == *eos_;
        if (ended_) return;
        if (decoder_) {
            show(decoder_->push(id));
        } else {
            show((first_ ? "" : ",") + std::to_string(id));
        }
        first_ = false;
    }

    void finish() {
        if (decoder_) show(decoder_->flush());
        console_.out.write("\n");
        console_.out.flush();
    }

  private:
    void show(const std::string& text) {
        if (text.empty()) return;
        console_.out.write(console_.printable(text));
        console_.out.flush();
    }

    Console& console_;
    std::optional<StreamDecoder> decoder_;
    std::optional<TokenId> eos_;
    bool first_ = true;
    bool ended_ = false;
};

Json texts_json(const GenerateResult& result, const GenerateOptions& options, const Tokenizer* tokenizer) {
    if (tokenizer == nullptr) return nullptr;
    Json texts = Json::array();
    for (const auto& row : result.rows) texts.push_back(tokenizer->decode(answer(row, options), false));
    return texts;
}

void print_rows(Console& console, const GenerateResult& result, const GenerateOptions& options,
                const Tokenizer* tokenizer) {
    const std::size_t digits = std::to_string(result.rows.size()).size();
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
        const auto ids = answer(result.rows[i], options);
        std::string text;
        if (tokenizer != nullptr) {
            text = tokenizer->decode(ids, false);
        } else {
            for (const TokenId id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
        }
        std::string number = std::to_string(i + 1);
        number.insert(0, digits - number.size(), ' ');
        console.out.line(number + "  " + console.printable(text));
    }
    console.out.flush();
}

std::string summary(const GenerateResult& result, double seconds) {
    std::string text = grouped(static_cast<std::uint64_t>(result.steps)) +
                       (result.steps == 1 ? " step in " : " steps in ") + duration_text(seconds);
    if (seconds > 0) {
        text += " (" + grouped(static_cast<std::uint64_t>(static_cast<double>(result.steps) / seconds)) +
                " a second)";
    }
    text += "; " + grouped(result.tokens_fed) + " tokens entered forward; the KV cache holds " +
            grouped(result.kv_bytes) + " bytes";
    return text;
}

int run(const GenerateCommand& command, Console& console) {
    const Prompt given = command.prompt.read(true, console);
    GenerateOptions options = command.generate;
    options.sampling.do_sample = !command.greedy;
    options.use_cache = !command.no_cache;
    options.sampling.validate(std::numeric_limits<std::int64_t>::max());  // before a model takes its time
    const PromptModel loaded = load_prompt_model(command.model, command.prompt, given, console);
    const Tokenizer* const tokenizer = loaded.tokenizer_or_null();
    const std::vector<TokenId>& prompt = loaded.prompt_ids;
    const std::int64_t vocabulary = loaded.model.config().vocab_size;
    // A default above a small vocabulary is nobody's mistake: it keeps all.
    if (!command.top_k_typed) options.sampling.top_k = std::min(options.sampling.top_k, vocabulary);
    options.validate(vocabulary);

    std::optional<Streamer> streamer;
    if (!command.json && options.num_return_sequences == 1) {
        streamer.emplace(console, tokenizer, options.eos_token_id);
    }
    const double started = now();
    const GenerateResult result = generate(loaded.model, prompt, options, [&](const StepRecord& step) {
        if (streamer) {
            streamer->push(step.tokens[0]);
        } else {
            console.progress("generate",
                             static_cast<double>(step.step) /
                                 static_cast<double>(std::max<std::int64_t>(options.max_new_tokens, 1)));
        }
        return !stop_requested();
    });
    const double seconds = now() - started;
    console.clear_progress();
    if (command.json) {
        Json found;
        found["prompt_ids"] = prompt;
        found["rows"] = result.rows;
        found["texts"] = texts_json(result, options, tokenizer);
        found["steps"] = result.steps;
        found["tokens_fed"] = result.tokens_fed;
        found["kv_bytes"] = result.kv_bytes;
        found["rng_u32_consumed"] = result.rng_u32_consumed;
        found["seconds"] = seconds;
        print_json(console, found);
        return kDone;
    }
    if (streamer) {
        streamer->finish();
    } else {
        print_rows(console, result, options, tokenizer);
    }
    console.note(summary(result, seconds));
    return kDone;
}

void add_sampling_options(CLI::App& command, GenerateCommand& options) {
    GenerateOptions& generate = options.generate;
    add_option(command, {"--max-new-tokens", "N", "most tokens to make"}, generate.max_new_tokens,
               {.low = 0});
    add_switch(command, {"--greedy", "", "always take the likeliest token (do_sample=False)"},
               options.greedy);
    for (const SamplingOption& option : sampling_options()) {
        const OptionHelp help{option.flag(), option.placeholder, option.help};
        if (const auto* real = std::get_if<double SamplingOptions::*>(&option.value)) {
            add_option(command, help, generate.sampling.*(*real));
        } else {
            add_option(command, help,
                       generate.sampling.*std::get<std::int64_t SamplingOptions::*>(option.value),
                       IntegerRange{});
        }
    }
    add_seed_option(command, {"--seed", "S", "torch.manual_seed(S), −2^63 … 2^64 − 1"}, generate.seed);
    add_option(command, {"--num-return-sequences", "N", "rows to draw"}, generate.num_return_sequences,
               {1, std::numeric_limits<std::int32_t>::max()});
    add_option(command, {"--eos", "ID|none", "the id that ends a row, or none", "Options", "2"},
               [&generate](const std::string& text) {
                   generate.eos_token_id = std::nullopt;
                   if (text == "none") return;
                   generate.eos_token_id = static_cast<TokenId>(
                       parse_integer("--eos", text, 0, std::numeric_limits<TokenId>::max()));
               });
    add_switch(command, {"--no-cache", "", "compute everything anew at every step"}, options.no_cache);
    add_rng_option(command, generate.rng);
}

}  // namespace

void add_generate(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<GenerateCommand>();
    CLI::App& command =
        add_command(app, "generate", "Continue a prompt as MiniMind's generate does",
                    "(--ids LIST | --prompt TEXT | --chat TEXT) [options]",
                    "mm-native generate --chat '가람 마을의 특산물은 뭐야?' --max-new-tokens 24");
    add_prompt_options(command, options->prompt, true);
    add_sampling_options(command, *options);
    add_json_switch(command,
                    "prompt_ids, rows, texts, steps, tokens_fed, kv_bytes, rng_u32_consumed, seconds",
                    options->json);
    add_model_options(command, options->model, "demo:pretrain; demo:sft with --chat");
    when_chosen(command, [options, &command, &invocation] {
        options->top_k_typed = was_typed(command, "--top-k");
        invocation.run = [options, &invocation] { return run(*options, invocation.console); };
    });
}

}  // namespace mm
