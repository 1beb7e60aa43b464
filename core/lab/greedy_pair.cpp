#include "core/lab/greedy_pair.hpp"

#include <algorithm>

#include "core/base/join.hpp"
#include "core/base/json_fields.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/json_text.hpp"

namespace mm {

std::optional<std::size_t> GreedyPairResult::first_difference() const {
    const auto [with, without] = std::mismatch(ids_with_cache.begin(), ids_with_cache.end(),
                                               ids_without_cache.begin(), ids_without_cache.end());
    if (with == ids_with_cache.end() && without == ids_without_cache.end()) return std::nullopt;
    return static_cast<std::size_t>(with - ids_with_cache.begin());
}

std::uint64_t GreedyPairResult::formula_with_cache() const {
    return static_cast<std::uint64_t>(prompt_len + new_tokens - 1);
}

std::uint64_t GreedyPairResult::formula_without_cache() const {
    return static_cast<std::uint64_t>(new_tokens * prompt_len + new_tokens * (new_tokens - 1) / 2);
}

double GreedyPairResult::token_factor() const {
    return static_cast<double>(fed_without_cache) / static_cast<double>(fed_with_cache);
}

std::vector<TokenId> lab_prompt(const LabContext& context) {
    std::string text;
    const std::size_t count = std::min(context.documents.size(), kLabDocuments);
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) text += ' ';
        text += context.documents[i];
    }
    const std::vector<TokenId> ids = required(context.tokenizer, "tokenizer").encode(text, false);
    if (ids.empty() && text.find_first_not_of(' ') != std::string::npos) {
        throw_error(ErrorKind::tokenizer, "gives no token for the documents' text", {.field = "tokenizer"});
    }
    if (ids.empty()) {
        throw_error(ErrorKind::format,
                    count == 0 ? "no document to make the prompt from" : "the documents hold no text",
                    {.field = "validation documents"});
    }
    std::vector<TokenId> prompt{kLabBos};
    prompt.insert(prompt.end(), ids.begin(),
                  ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), kLabPromptIds)));
    return prompt;
}

Steps<GreedyPairResult> greedy_pair_in_steps(const LabContext& context, std::vector<TokenId> prompt,
                                             std::string_view step) {
    GreedyPairResult result;
    result.prompt_len = static_cast<std::int64_t>(prompt.size());
    result.new_tokens = kLabNewTokens;
    const Model& model = required(context.pretrain, "pretrained model");
    const auto expected = static_cast<double>(result.formula_with_cache() + result.formula_without_cache());
    std::uint64_t fed_before = 0;
    const auto tell = [&](const StepRecord& record) {
        context.progress(step, static_cast<double>(fed_before + record.fed_total) / expected);
        return !context.stop_requested();
    };
    context.progress(step, 0);
    for (const bool use_cache : kWithAndWithout) {
        const GenerateOptions options = GenerateOptions::lab_greedy(kLabNewTokens, use_cache);
        GenerateResult generated = co_await generate_in_steps(model, prompt, options, tell);
        fed_before += generated.tokens_fed;
        (use_cache ? result.ids_with_cache : result.ids_without_cache) = std::move(generated.rows.at(0));
        (use_cache ? result.fed_with_cache : result.fed_without_cache) = generated.tokens_fed;
    }
    co_return result;
}

GreedyPairResult run_greedy_pair(const LabContext& context, std::span<const TokenId> prompt,
                                 std::string_view step) {
    return run(greedy_pair_in_steps(context, {prompt.begin(), prompt.end()}, step));
}

std::string same_json(const GreedyPairResult& result) {
    return json_text(JsonFields()
                         .set("prompt_len", result.prompt_len)
                         .set("new_tokens", result.new_tokens)
                         .set("same_ids", result.same_ids())
                         .set("ids", result.ids_with_cache));
}

std::string count_json(const GreedyPairResult& result) {
    return json_text(JsonFields()
                         .set("prompt_len", result.prompt_len)
                         .set("new_tokens", result.new_tokens)
                         .set("fed_with_cache", result.fed_with_cache)
                         .set("fed_without_cache", result.fed_without_cache));
}

}  // namespace mm
