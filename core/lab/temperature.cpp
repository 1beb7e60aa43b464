#include "core/lab/temperature.hpp"

#include <algorithm>
#include <array>

#include "core/base/join.hpp"
#include "core/base/json_fields.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/json_text.hpp"
#include "core/text/chat.hpp"

namespace mm {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

void count_answer(std::vector<AnswerGroup>& groups, std::string text) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const AnswerGroup& group) { return group.text == text; });
    if (same != groups.end()) {
        ++same->count;
        return;
    }
    const bool broken = text.find(kReplacement) != std::string::npos;
    groups.push_back({.text = std::move(text), .count = 1, .broken = broken});
}

}  // namespace

std::size_t TemperatureRow::broken() const {
    std::size_t count = 0;
    for (const AnswerGroup& group : answers) count += group.broken ? group.count : 0;
    return count;
}

std::vector<TokenId> question_ids(const LabContext& context, std::string_view question) {
    const Tokenizer& tokenizer = required(context.sft_tokenizer, "SFT tokenizer");
    return tokenizer.encode(chat_text(context.chat_format, question), false);
}

Steps<TemperatureRow> answers_in_steps(const LabContext& context, std::string question, double temperature,
                                       std::uint64_t seed, std::function<void(double)> on_fraction,
                                       double top_p) {
    const Model& model = required(context.sft, "SFT model");
    const Tokenizer& tokenizer = required(context.sft_tokenizer, "SFT tokenizer");
    GenerateOptions options;
    options.max_new_tokens = kLabAnswerTokens;
    options.sampling.temperature = temperature;
    options.sampling.top_k = 0;
    options.sampling.top_p = top_p;
    options.eos_token_id = kLabEos;
    options.num_return_sequences = kLabAnswers;
    options.seed = seed;
    options.rng = context.rng;
    const auto tell = [&](const StepRecord& record) {
        if (on_fraction)
            on_fraction(static_cast<double>(record.step) / static_cast<double>(kLabAnswerTokens));
        return !context.stop_requested();
    };
    const GenerateResult generated =
        co_await generate_in_steps(model, question_ids(context, question), options, tell);
    TemperatureRow row;
    row.temperature = temperature;
    for (const std::vector<TokenId>& ids : generated.rows) {
        const std::vector<TokenId> answer(ids.begin(), std::find(ids.begin(), ids.end(), kLabEos));
        count_answer(row.answers, tokenizer.decode(answer, false));
    }
    std::stable_sort(row.answers.begin(), row.answers.end(),
                     [](const AnswerGroup& a, const AnswerGroup& b) { return a.count > b.count; });
    co_return row;
}

Steps<TemperatureResult> temperature_in_steps(const LabContext& context) {
    TemperatureResult result;
    result.rng = context.rng;
    context.progress("temp", 0);
    for (const double temperature : kLabTemperatures) {
        const auto done = static_cast<double>(result.rows.size());
        const auto tell = [&context, done](double fraction) {
            context.progress("temp", (done + fraction) / static_cast<double>(kLabTemperatures.size()));
        };
        result.rows.push_back(
            co_await answers_in_steps(context, std::string(kLabQuestion), temperature, 0, tell));
        tell(1);  // all rows may have met eos before the last step
    }
    co_return result;
}

TemperatureResult run_temperature(const LabContext& context) {
    return run(temperature_in_steps(context));
}

std::string to_json(const TemperatureResult& result) {
    Json json = Json::object();
    for (const TemperatureRow& row : result.rows) {
        json[number_text(row.temperature)] = JsonFields().set("distinct", row.distinct());
    }
    return json_text(json);
}

}  // namespace mm
