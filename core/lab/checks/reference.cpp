#include "core/lab/checks/reference.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/decode/distribution.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/temperature.hpp"
#include "core/lab/top_p.hpp"
#include "core/text/chat.hpp"

namespace mm {
namespace {

constexpr std::array<double, 3> kTemperatures{0.3, 1.0, 1.5};
constexpr std::array<double, 3> kThresholds{0.5, 0.9, 0.99};

// Tells how far the reference is, a run at a time.
class Telling {
  public:
    Telling(const LabContext& context, std::size_t count) : context_(context), count_(count) {}
    void next() {
        context_.check_cancelled();
        context_.progress("reference",
                          std::min(1.0, static_cast<double>(done_++) / static_cast<double>(count_)));
    }

  private:
    const LabContext& context_;
    std::size_t count_;
    std::size_t done_ = 0;
};

bool fits(std::span<const TokenId> ids, const Model& model) {
    return !ids.empty() && *std::max_element(ids.begin(), ids.end()) < model.config().vocab_size;
}

Steps<std::vector<TokenId>> greedy(const LabContext& context, const Model& model,
                                   std::vector<TokenId> prompt) {
    const auto go_on = [&](const StepRecord&) { return !context.stop_requested(); };
    const GenerateOptions options = GenerateOptions::lab_greedy(kLabNewTokens, true);
    GenerateResult generated = co_await generate_in_steps(model, std::move(prompt), options, go_on);
    co_return std::move(generated.rows.at(0));
}

// The lab's prompt with the documents joined otherwise: one document made of them all, so that lab_prompt
// does the rest.
std::vector<TokenId> prompt_joined_by(const LabContext& context, const char* separator) {
    std::string joined;
    const std::size_t count = std::min(context.documents.size(), kLabDocuments);
    for (std::size_t i = 0; i < count; ++i) joined += (i > 0 ? separator : "") + context.documents[i];
    LabContext other = context;
    other.documents = {joined};
    return lab_prompt(other);
}

struct GreedyMistake {
    Hint hint;
    const Model& model;
    std::vector<TokenId> prompt;
};

Steps<Done> greedy_runs(const LabContext& context, Telling& telling, GradeReference& reference) {
    const Model& pretrain = required(context.pretrain, "pretrained model");
    telling.next();
    reference.prompt = lab_prompt(context);
    reference.ids = co_await greedy(context, pretrain, reference.prompt);

    const std::vector<TokenId>& prompt = reference.prompt;
    const std::vector<GreedyMistake> mistakes = {
        {Hint::ids_no_bos, pretrain, {prompt.begin() + 1, prompt.end()}},
        {Hint::ids_bos_inside, pretrain, {prompt.begin(), prompt.end() - 1}},
        {Hint::ids_sft_model, required(context.sft, "SFT model"), prompt},
        {Hint::ids_no_space, pretrain, prompt_joined_by(context, "")},
        {Hint::ids_newline, pretrain, prompt_joined_by(context, "\n")}};
    for (const GreedyMistake& mistake : mistakes) {
        telling.next();
        if (!fits(mistake.prompt, mistake.model)) continue;
        std::vector<TokenId> ids = co_await greedy(context, mistake.model, mistake.prompt);
        if (ids != reference.ids) reference.mistaken_ids.emplace_back(mistake.hint, std::move(ids));
    }
    co_return Done{};
}

// Different answers at the three temperatures, as a run with these settings counts them.
struct Sampling {
    std::optional<Hint> mistake;  // none: as the lab asks
    const Model& model;
    const Tokenizer& tokenizer;
    std::int64_t top_k = 0;
    double top_p = 1.0;
    bool reseed = true;
};

Steps<Triple> count_answers(const LabContext& context, RngStream rng, Sampling sampling) {
    const std::vector<TokenId> prompt =
        sampling.tokenizer.encode(chat_text(context.chat_format, kLabQuestion), false);
    const auto go_on = [&](const StepRecord&) { return !context.stop_requested(); };
    Triple counts{};
    std::uint64_t consumed = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        GenerateOptions options;
        options.max_new_tokens = kLabAnswerTokens;
        options.sampling.temperature = kTemperatures[i];
        options.sampling.top_k = std::min(sampling.top_k, sampling.model.config().vocab_size);
        options.sampling.top_p = sampling.top_p;
        options.eos_token_id = kLabEos;
        options.num_return_sequences = kLabAnswers;
        options.rng = rng;
        options.rng_u32_skipped = sampling.reseed ? 0 : consumed;
        const GenerateResult generated = co_await generate_in_steps(sampling.model, prompt, options, go_on);
        consumed = generated.rng_u32_consumed;
        std::set<std::string> answers;
        for (const std::vector<TokenId>& ids : generated.rows) {
            const std::vector<TokenId> answer(ids.begin(), std::find(ids.begin(), ids.end(), kLabEos));
            answers.insert(sampling.tokenizer.decode(answer));
        }
        counts[i] = static_cast<std::int64_t>(answers.size());
    }
    co_return counts;
}

std::vector<Sampling> samplings(const LabContext& context) {
    const Model& sft = required(context.sft, "SFT model");
    const Tokenizer& tokenizer = required(context.sft_tokenizer, "SFT tokenizer");
    const SamplingOptions defaults;
    std::vector<Sampling> all = {{std::nullopt, sft, tokenizer},
                                 {Hint::temp_top_k, sft, tokenizer, defaults.top_k},
                                 {Hint::temp_top_p, sft, tokenizer, 0, defaults.top_p},
                                 {Hint::temp_defaults, sft, tokenizer, defaults.top_k, defaults.top_p},
                                 {Hint::temp_not_reseeded, sft, tokenizer, 0, 1.0, false}};
    if (context.tokenizer != nullptr) {
        all.push_back(
            {Hint::temp_pretrain_model, required(context.pretrain, "pretrained model"), *context.tokenizer});
    }
    return all;
}

Steps<Done> temperature_runs(const LabContext& context, Telling& telling, GradeReference& reference) {
    std::vector<RngStream> streams{context.rng};
    for (const RngStream stream : sampling_rng_streams()) {
        if (stream != context.rng) streams.push_back(stream);
    }
    const std::vector<Sampling> all = samplings(context);
    std::vector<std::pair<Hint, Triple>> mistakes;
    for (const RngStream stream : streams) {
        for (const Sampling& sampling : all) {
            telling.next();
            const Triple counts = co_await count_answers(context, stream, sampling);
            if (sampling.mistake) {
                mistakes.emplace_back(*sampling.mistake, counts);
            } else {
                reference.distinct.push_back(counts);
            }
        }
    }
    // A mistake that does not show in the counts is none that counts can tell.
    for (auto& mistake : mistakes) {
        const auto& right = reference.distinct;
        if (std::find(right.begin(), right.end(), mistake.second) == right.end()) {
            reference.mistaken_distinct.push_back(mistake);
        }
    }
    co_return Done{};
}

Triple survivors(std::span<const float> logits, double temperature = 1, double nudge = 0) {
    Triple counts{};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] = static_cast<std::int64_t>(top_p_survivors(logits, temperature, kThresholds[i] + nudge));
    }
    return counts;
}

void top_p_runs(const LabContext& context, Telling& telling, GradeReference& reference) {
    telling.next();
    const Model& pretrain = required(context.pretrain, "pretrained model");
    const Tokenizer& tokenizer = required(context.tokenizer, "tokenizer");
    const auto with_bos = [&](std::string_view text) {
        std::vector<TokenId> ids = tokenizer.encode(text, false);
        ids.insert(ids.begin(), kLabBos);
        return ids;
    };
    const std::vector<TokenId> ids = with_bos(kLabBroadText);
    const std::vector<float> logits = last_logits(pretrain, ids);
    // float32 probabilities of two correct implementations differ by less than this once they are summed up.
    constexpr double kRounding = 1e-6;
    reference.survivors = survivors(logits);
    reference.fewest = survivors(logits, 1, -kRounding);
    reference.most = survivors(logits, 1, kRounding);

    const auto mistake = [&](Hint hint, const Triple& counts) {
        if (counts != reference.survivors) reference.mistaken_survivors.emplace_back(hint, counts);
    };
    const std::span<const TokenId> without_bos = std::span(ids).subspan(1);
    if (!without_bos.empty()) mistake(Hint::topp_no_bos, survivors(last_logits(pretrain, without_bos)));
    const Model& sft = required(context.sft, "SFT model");
    if (fits(ids, sft)) mistake(Hint::topp_sft_model, survivors(last_logits(sft, ids)));
    mistake(Hint::topp_sharp_text, survivors(last_logits(pretrain, with_bos(kLabSharpText))));
    const GenerateOptions defaults;
    mistake(Hint::topp_temperature, survivors(logits, defaults.sampling.temperature));
    Triple cut{};
    Triple unshifted{};
    for (std::size_t i = 0; i < cut.size(); ++i) {
        Distribution stages;
        distribution(logits, ids,
                     {.temperature = 1,
                      .top_k = std::min(defaults.sampling.top_k, pretrain.config().vocab_size),
                      .top_p = kThresholds[i]},
                     stages);
        cut[i] = static_cast<std::int64_t>(stages.kept);
        unshifted[i] = std::max<std::int64_t>(1, reference.survivors[i] - 1);
    }
    mistake(Hint::topp_top_k, cut);
    mistake(Hint::topp_not_shifted, unshifted);
}

}  // namespace

Steps<GradeReference> reference_in_steps(const LabContext& context) {
    constexpr std::size_t kGreedyRuns = 6;
    constexpr std::size_t kSampledRuns = 6;  // each stream
    constexpr std::size_t kForwards = 2;
    Telling telling(context, kGreedyRuns + kSampledRuns * sampling_rng_streams().size() + kForwards);
    GradeReference reference;
    co_await greedy_runs(context, telling, reference);
    telling.next();
    LabContext quiet = context;
    quiet.on_progress = {};
    reference.kv_bytes = run_kv_bytes(quiet);
    reference.hidden_size = context.pretrain->config().hidden_size;
    co_yield kRest;
    co_await temperature_runs(context, telling, reference);
    top_p_runs(context, telling, reference);
    co_return reference;
}

GradeReference compute_reference(const LabContext& context) {
    return run(reference_in_steps(context));
}

}  // namespace mm
