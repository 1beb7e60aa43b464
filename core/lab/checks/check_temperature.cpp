// Step 5, temp.json: counts of different answers depend on the random stream, so there is more than one right
// answer; known mistakes are told from unknown streams by their own counts.
#include <algorithm>
#include <optional>
#include <set>

#include "core/base/join.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/checks/check_temperature.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/step_checks.hpp"
#include "core/lab/json_text.hpp"
#include "core/text/chat.hpp"

namespace mm::checks {
namespace {

constexpr Hints<8> kHints{{{
    Hint{"temp.top_k", "top_k 를 기본값 50으로 둔 결과입니다. top_k=0 을 넘기세요.",
         "这是 top_k 保持默认值 50 的结果。请传入 top_k=0。",
         "This is a run with top_k left at 50; pass top_k=0."},
    Hint{"temp.top_p", "top_p 를 기본값 0.85로 둔 결과입니다. top_p=1.0 을 넘기세요.",
         "这是 top_p 保持默认值 0.85 的结果。请传入 top_p=1.0。",
         "This is a run with top_p left at 0.85; pass top_p=1.0."},
    Hint{"temp.defaults", "top_k 와 top_p 를 기본값으로 둔 결과입니다. top_k=0, top_p=1.0 을 넘기세요.",
         "这是 top_k 和 top_p 都保持默认值的结果。请传入 top_k=0, top_p=1.0。",
         "This is a run with top_k and top_p at their defaults; pass top_k=0, top_p=1.0."},
    Hint{"temp.not_reseeded",
         "온도마다 시드를 다시 걸지 않은 결과입니다. 생성하기 직전마다 torch.manual_seed(0) 을 부르세요.",
         "这是没有为每个温度重新设种子的结果。请在每次生成前调用 torch.manual_seed(0)。",
         "This is a run that was not reseeded for each temperature; call torch.manual_seed(0) before each."},
    Hint{"temp.pretrain_model", "사전학습 체크포인트로 답한 결과입니다. 5단계는 SFT 체크포인트를 씁니다.",
         "这是用预训练检查点回答的结果。第 5 步使用 SFT 检查点。",
         "These are the pretrained checkpoint's answers; step 5 uses the SFT one."},
    Hint{"temp.range", "서른 번의 답에서 서로 다른 답은 1에서 30까지입니다.",
         "30 次回答中不同答案的个数只能是 1 到 30。", "Of 30 answers 1 to 30 can be different."},
    Hint{
        "temp.decreasing", "낮은 온도보다 서로 다른 답이 적습니다. 온도마다 시드와 조건이 같은지 확인하세요.",
        "比较低温度时的不同答案还少。请检查每个温度的种子和条件是否相同。",
        "There are fewer different answers than at the lower temperature; check that seed and conditions are "
        "the same "
        "for each."},
    Hint{
        "temp.other_random",
        "참고: 기준의 난수열로 센 값과 다르지만, 난수열은 PyTorch 의 판마다 다를 수 있어 맞은 것으로 봅니다.",
        "提示：与基准随机数流的计数不同，但随机数流可能因 PyTorch 版本而异，因此视为正确。",
        "Note: this is not the count under a known random stream; streams differ between PyTorch releases, "
        "so it is "
        "accepted."},
}}};

// "0.3", …: the keys of temp.json.
const std::vector<std::string>& keys() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> made;
        for (const double temperature : kLabTemperatures) made.push_back(number_text(temperature));
        return made;
    }();
    return all;
}

std::vector<CheckDefinition> definitions() {
    std::vector<CheckDefinition> all{
        {"temp.file", 1, "temp.json 을 읽을 수 있다", "temp.json 可读", "temp.json can be read"},
        {"temp.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    };
    for (const std::string& key : keys()) {
        all.push_back({join({"temp.distinct_", key}), 4, join({"온도 ", key, " 의 서로 다른 답"}),
                       join({"温度 ", key, " 的不同答案"}), join({"different answers at ", key})});
    }
    return all;
}

struct Counts {
    std::array<std::optional<std::int64_t>, kLabTemperatures.size()> at;

    bool equal(const DistinctCounts& triple) const {
        return std::equal(at.begin(), at.end(), triple.begin(),
                          [](const auto& a, std::int64_t b) { return a == b; });
    }
};

bool possible(std::int64_t count) {
    return count >= 1 && count <= kLabAnswers;
}

void judge_one(Judge& judge, std::size_t i, const Counts& counts, const TemperatureReference& reference,
               const std::vector<Hint>& mistakes, bool known) {
    const std::string id = join({"temp.distinct_", keys()[i]});
    const std::int64_t count = *counts.at[i];
    const bool equal = std::any_of(reference.distinct.begin(), reference.distinct.end(),
                                   [&](const DistinctCounts& triple) { return triple[i] == count; });
    const auto finding = [&](Hint hint) {
        return Finding{hint, {}, std::to_string(reference.distinct.front()[i]), std::to_string(count)};
    };
    if (known) return judge.pass(id);
    if (!possible(count)) return judge.fail(id, {finding(kHints["temp.range"])});
    if (!mistakes.empty()) {
        if (equal) return judge.pass(id);  // this one the mistake has not changed
        std::vector<Finding> findings;
        for (const Hint hint : mistakes) findings.push_back({hint});
        findings.back() = finding(mistakes.back());
        return judge.fail(id, std::move(findings));
    }
    for (std::size_t before = 0; before < i; ++before) {
        if (counts.at[before] && possible(*counts.at[before]) && count < *counts.at[before]) {
            return judge.fail(id, {finding(kHints["temp.decreasing"])});
        }
    }
    if (equal) return judge.pass(id);
    judge.pass(id, {finding(kHints["temp.other_random"])});
}

// Different answers at each temperature, as a run with these settings counts them.
struct Sampling {
    std::optional<Hint> mistake;  // none: as the lab asks
    const Model& model;
    const Tokenizer& tokenizer;
    std::int64_t top_k = 0;
    double top_p = 1.0;
    bool reseed = true;
};

Steps<DistinctCounts> count_answers(const LabContext& context, RngStream rng, Sampling sampling) {
    const std::vector<TokenId> prompt =
        sampling.tokenizer.encode(chat_text(context.chat_format, kLabQuestion), false);
    const auto go_on = [&](const StepRecord&) { return !context.stop_requested(); };
    DistinctCounts counts{};
    std::uint64_t consumed = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        GenerateOptions options;
        options.max_new_tokens = kLabAnswerTokens;
        options.sampling.temperature = kLabTemperatures[i];
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
                                 {kHints["temp.top_k"], sft, tokenizer, defaults.top_k},
                                 {kHints["temp.top_p"], sft, tokenizer, 0, defaults.top_p},
                                 {kHints["temp.defaults"], sft, tokenizer, defaults.top_k, defaults.top_p},
                                 {kHints["temp.not_reseeded"], sft, tokenizer, 0, 1.0, false}};
    if (context.tokenizer != nullptr) {
        all.push_back({kHints["temp.pretrain_model"], required(context.pretrain, "pretrained model"),
                       *context.tokenizer});
    }
    return all;
}

Steps<Done> reference(const LabContext& context, const std::function<void()>& next, GradeReference& found) {
    TemperatureReference reference;
    std::vector<RngStream> streams{context.rng};
    for (const RngStream stream : sampling_rng_streams()) {
        if (stream != context.rng) streams.push_back(stream);
    }
    const std::vector<Sampling> all = samplings(context);
    std::vector<std::pair<Hint, DistinctCounts>> mistakes;
    for (const RngStream stream : streams) {
        for (const Sampling& sampling : all) {
            next();
            const DistinctCounts counts = co_await count_answers(context, stream, sampling);
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
    found.set(std::move(reference));
    co_return Done{};
}

void judge_step(Judge& judge, const GradeReference& all) {
    const TemperatureReference& reference = all.get<TemperatureReference>();
    std::vector<Key> wanted;
    for (const std::string& key : keys()) wanted.push_back({key, KeyType::counts});
    const OpenedJson json = judge.open_json("temp", wanted);
    Counts counts;
    for (std::size_t i = 0; i < keys().size(); ++i) {
        if (const SubmittedValue* const value = json.value(keys()[i]))
            counts.at[i] = value->member("distinct")->integer;
    }
    const bool known = std::any_of(reference.distinct.begin(), reference.distinct.end(),
                                   [&](const DistinctCounts& triple) { return counts.equal(triple); });
    std::vector<Hint> mistakes;
    for (const auto& [hint, triple] : reference.mistaken_distinct) {
        const bool listed = std::find(mistakes.begin(), mistakes.end(), hint) != mistakes.end();
        if (counts.equal(triple) && !listed) mistakes.push_back(hint);
    }
    for (std::size_t i = 0; i < keys().size(); ++i) {
        judge.with_value(join({"temp.distinct_", keys()[i]}), json, keys()[i], [&](const SubmittedValue&) {
            judge_one(judge, i, counts, reference, mistakes, known);
        });
    }
}

}  // namespace

StepChecks temperature_checks() {
    return {.definitions = definitions(),
            .hints = kHints.list,
            .judge = judge_step,
            .reference = reference,
            .runs = 6 * sampling_rng_streams().size()};
}

}  // namespace mm::checks
