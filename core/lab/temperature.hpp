// Step 5: the SFT model answers one question 30 times at each of three temperatures; how many answers differ?
//
// Makes temp.json. Every temperature starts from the same seed, so the temperature is all that changes; the
// cache is on throughout and plays no part in what is chosen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/steps.hpp"
#include "core/lab/context.hpp"

namespace mm {

constexpr std::string_view kLabQuestion = "가람 마을의 특산물은 뭐야?";
constexpr std::array<double, 3> kLabTemperatures{0.3, 1.0, 1.5};
constexpr std::int64_t kLabAnswers = 30;
constexpr std::int64_t kLabAnswerTokens = 24;
constexpr TokenId kLabEos = 2;  // <|im_end|>

/// Answers of the same text, broken characters included.
struct AnswerGroup {
    std::string text;  // ids before the first eos, special tokens kept
    std::size_t count = 0;
    bool broken = false;  // holds U+FFFD: bytes that make no character
};

struct TemperatureRow {
    double temperature = 1;
    std::vector<AnswerGroup> answers;  // most frequent first; among equals the one that came first

    std::size_t distinct() const { return answers.size(); }
    /// Answers (not groups) with a broken character.
    std::size_t broken() const;
};

struct TemperatureResult {
    std::vector<TemperatureRow> rows;  // of kLabTemperatures, in order
    RngStream rng = RngStream::torch;  // whose random numbers
};

/// The prompt's ids: the question in chat form, with the generation prompt.
std::vector<TokenId> question_ids(const LabContext& context, std::string_view question);

/// One temperature, generator seeded anew: do_sample, top_k 0, 24 tokens, 30 rows, eos 2. A token of
/// all rows a step.
/// @param context      must outlive the work
/// @param temperature  finite, > 0
/// @param seed         the lab's is 0
/// @param on_fraction  told 0 … 1; may be empty
/// @param top_p        0 < top_p ≤ 1; the lab's is 1
Steps<TemperatureRow> answers_in_steps(const LabContext& context, std::string question, double temperature,
                                       std::uint64_t seed = 0, std::function<void(double)> on_fraction = {},
                                       double top_p = 1);

Steps<TemperatureResult> temperature_in_steps(const LabContext& context);
TemperatureResult run_temperature(const LabContext& context);

/// {"0.3": {"distinct": n}, "1.0": {"distinct": n}, "1.5": {"distinct": n}}
std::string to_json(const TemperatureResult& result);
/// Korean: the counts, what they show on this run, and the most frequent answer of each temperature.
std::string to_markdown(const TemperatureResult& result);

}  // namespace mm
