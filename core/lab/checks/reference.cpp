#include "core/lab/checks/reference.hpp"

#include <algorithm>
#include <set>
#include <string>

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
class Steps {
  public:
    Steps(const LabContext& context, std::size_t count) : context_(context), count_(count) {}
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

std::vector<TokenId> greedy(const LabContext& context, const Model& model, std::span<const TokenId> prompt) {
    return generate(model, prompt, GenerateOptions::lab_greedy(kLabNewTokens, true),
                    [&](const StepRecord&) { return !context.stop_requested(); })
        .rows.at(0);
}

void greedy_runs(const LabContext& context, Steps& steps, GradeReference& reference) {
    const Model& pretrain = required(context.pretrain, "pretrained model");
    steps.next();
    reference.prompt = lab_prompt(context);
    reference.ids = greedy(context, pretrain, reference.prompt);

    const auto mistake = [&](Hint hint, const Model& model, std::span<const TokenId> prompt) {
        steps.next();
        if (!fits(prompt, model)) return;
        std::vector<TokenId> ids = greedy(context, model, prompt);
        if (ids != reference.ids) reference.mistaken_ids.emplace_back(hint, std::move(ids));
    };
    const std::span<const TokenId> prompt = reference.prompt;
    mistake(Hint::ids_no_bos, pretrain, prompt.subspan(1));
    mistake(Hint::ids_bos_inside, pretrain, prompt.first(prompt.size() - 1));
    mistake(Hint::ids_sft_model, required(context.sft, "SFT model"), prompt);
    // The documents joined otherwise: one document made of them all, so that lab_prompt does the rest.
    for (const auto& [hint, separator] :
         {std::pair{Hint::ids_no_space, ""}, std::pair{Hint::ids_newline, "\n"}}) {
        std::string joined;
        const std::size_t count = std::min(context.documents.size(), kLabDocuments);
        for (std::size_t i = 0; i < count; ++i) joined += (i > 0 ? separator : "") + context.documents[i];
        LabContext other = context;
        other.documents = {joined};
        const std::vector<TokenId> ids = lab_prompt(other);
        mistake(hint, pretrain, ids);
    }
}

// Different answers at the three temperatures, as a run with these settings counts them.
struct Sampling {
    std::int64_t top_k = 0;
    double top_p = 1.0;
    bool reseed = true;
};

Triple count_answers(const LabContext& context, const Model& model, const Tokenizer& tokenizer,
                     const Sampling& sampling) {
    const std::vector<TokenId> prompt = tokenizer.encode(chat_text(context.chat_format, kLabQuestion), false);
    Triple counts{};
    std::uint64_t consumed = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        GenerateOptions options;
        options.max_new_tokens = kLabAnswerTokens;
        options.sampling = {.temperature = kTemperatures[i],
                            .top_k = std::min(sampling.top_k, model.config().vocab_size),
                            .top_p = sampling.top_p};
        options.eos_token_id = kLabEos;
        options.num_return_sequences = kLabAnswers;
        options.rng = context.rng;
        options.rng_u32_skipped = sampling.reseed ? 0 : consumed;
        const GenerateResult generated =
            generate(model, prompt, options, [&](const StepRecord&) { return !context.stop_requested(); });
        consumed = generated.rng_u32_consumed;
        std::set<std::string> answers;
        for (const std::vector<TokenId>& ids : generated.rows) {
            answers.insert(
                tokenizer.decode(std::vector(ids.begin(), std::find(ids.begin(), ids.end(), kLabEos))));
        }
        counts[i] = static_cast<std::int64_t>(answers.size());
    }
    return counts;
}

void temperature_runs(const LabContext& context, Steps& steps, GradeReference& reference) {
    const Model& sft = required(context.sft, "SFT model");
    const Tokenizer& tokenizer = required(context.sft_tokenizer, "SFT tokenizer");
    std::vector<RngStream> streams{context.rng};
    for (const RngStream stream : sampling_rng_streams()) {
        if (stream != context.rng) streams.push_back(stream);
    }
    std::vector<std::pair<Hint, Triple>> mistakes;
    const GenerateOptions defaults;
    for (const RngStream stream : streams) {
        LabContext here = context;
        here.rng = stream;
        const auto count = [&](const Model& model, const Tokenizer& text, const Sampling& sampling) {
            steps.next();
            return count_answers(here, model, text, sampling);
        };
        reference.distinct.push_back(count(sft, tokenizer, {}));
        mistakes.emplace_back(Hint::temp_top_k, count(sft, tokenizer, {.top_k = defaults.sampling.top_k}));
        mistakes.emplace_back(Hint::temp_top_p, count(sft, tokenizer, {.top_p = defaults.sampling.top_p}));
        mistakes.emplace_back(
            Hint::temp_defaults,
            count(sft, tokenizer, {.top_k = defaults.sampling.top_k, .top_p = defaults.sampling.top_p}));
        mistakes.emplace_back(Hint::temp_not_reseeded, count(sft, tokenizer, {.reseed = false}));
        if (context.tokenizer != nullptr) {
            mistakes.emplace_back(
                Hint::temp_pretrain_model,
                count(required(context.pretrain, "pretrained model"), *context.tokenizer, {}));
        }
    }
    // A mistake that does not show in the counts is none that counts can tell.
    for (auto& mistake : mistakes) {
        const auto& right = reference.distinct;
        if (std::find(right.begin(), right.end(), mistake.second) == right.end()) {
            reference.mistaken_distinct.push_back(mistake);
        }
    }
}

Triple survivors(std::span<const float> logits, double temperature = 1, double nudge = 0) {
    Triple counts{};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] = static_cast<std::int64_t>(top_p_survivors(logits, temperature, kThresholds[i] + nudge));
    }
    return counts;
}

void top_p_runs(const LabContext& context, Steps& steps, GradeReference& reference) {
    steps.next();
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

GradeReference compute_reference(const LabContext& context) {
    constexpr std::size_t kGreedyRuns = 6;
    constexpr std::size_t kSampledRuns = 6;  // each stream
    constexpr std::size_t kForwards = 2;
    Steps steps(context, kGreedyRuns + kSampledRuns * sampling_rng_streams().size() + kForwards);
    GradeReference reference;
    greedy_runs(context, steps, reference);
    steps.next();
    LabContext quiet = context;
    quiet.on_progress = {};
    reference.kv_bytes = run_kv_bytes(quiet);
    reference.hidden_size = context.pretrain->config().hidden_size;
    temperature_runs(context, steps, reference);
    top_p_runs(context, steps, reference);
    return reference;
}

}  // namespace mm
