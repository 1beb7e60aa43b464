// Step 6, topp.json: candidates that survive MiniMind's top-p rule on the reference model.
#include <algorithm>

#include "core/base/join.hpp"
#include "core/decode/distribution.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/checks/check_top_p.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/step_checks.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/json_text.hpp"

namespace mm::checks {
namespace {

constexpr Hints<8> kHints{{{
    Hint{"topp.no_bos", "bos 없이 잰 값입니다. [bos] + '민수는' 을 넣으세요.",
         "这是没有 bos 的结果。请输入 [bos] + '민수는'。",
         "This is the count without bos; feed [bos] + '민수는'."},
    Hint{"topp.not_shifted", "하나 적습니다. 자르는 자리를 한 칸 밀어, p 를 처음 넘기는 토큰은 살리세요.",
         "少一个。截断处要后移一位，保留首个使累积概率超过 p 的标记。",
         "This is one too few: shift the cut by one, so that the token that first exceeds p stays."},
    Hint{"topp.sft_model", "SFT 체크포인트로 잰 값입니다. 6단계는 사전학습 체크포인트를 씁니다.",
         "这是 SFT 检查点的结果。第 6 步使用预训练检查点。",
         "This is the SFT checkpoint's count; step 6 uses the pretrained one."},
    Hint{"topp.temperature", "온도 0.85 로 잰 값입니다. 온도는 1입니다.",
         "这是温度 0.85 的结果。温度应为 1。",
         "This is the count at temperature 0.85; the temperature is 1."},
    Hint{"topp.top_k", "먼저 top_k 50 으로 자른 분포에서 센 값입니다. top_k 는 쓰지 않습니다.",
         "这是先用 top_k 50 截断后的计数。不使用 top_k。",
         "This counts after a cut by top_k 50; top_k is not used."},
    Hint{"topp.sharp_text", "'마을의 특산물은' 뒤에서 센 값입니다. '민수는' 뒤에서 세세요.",
         "这是 '마을의 특산물은' 之后的计数。应在 '민수는' 之后计数。",
         "This is the count after '마을의 특산물은'; count after '민수는'."},
    Hint{"topp.borderline",
         "참고: 누적합이 p 와 거의 같은 자리여서 반올림에 따라 달라질 수 있어 맞은 것으로 봅니다.",
         "提示：此处的累积概率几乎等于 p，结果随舍入而变，因此视为正确。",
         "Note: the cumulative probability there is as good as equal to p, so rounding decides; accepted."},
    Hint{"topp.differs", "기준 모델에서 MiniMind 의 규칙으로 센 값과 다릅니다.",
         "与按 MiniMind 规则在基准模型上的计数不同。",
         "This differs from the count that MiniMind's rule gives on the reference model."},
}}};

// "0.5", …: the keys of topp.json.
const std::vector<std::string>& keys() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> made;
        for (const double p : kLabThresholds) made.push_back(number_text(p));
        return made;
    }();
    return all;
}

std::vector<CheckDefinition> definitions() {
    std::vector<CheckDefinition> all{
        {"topp.file", 1, "topp.json 을 읽을 수 있다", "topp.json 可读", "topp.json can be read"},
        {"topp.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
    };
    for (const std::string& key : keys()) {
        all.push_back({join({"topp.survivors_", key}), 4, join({"p=", key, " 에서 남는 후보"}),
                       join({"p=", key, " 时保留的候选"}), join({"survivors at p = ", key})});
    }
    return all;
}

SurvivorCounts survivors(std::span<const float> logits, double temperature = 1, double nudge = 0) {
    SurvivorCounts counts{};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] =
            static_cast<std::int64_t>(top_p_survivors(logits, temperature, kLabThresholds[i] + nudge));
    }
    return counts;
}

Steps<Done> reference(const LabContext& context, const std::function<void()>& next, GradeReference& found) {
    next();
    TopPReference reference;
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

    const auto mistake = [&](Hint hint, const SurvivorCounts& counts) {
        if (counts != reference.survivors) reference.mistaken_survivors.emplace_back(hint, counts);
    };
    const std::span<const TokenId> without_bos = std::span(ids).subspan(1);
    if (!without_bos.empty()) mistake(kHints["topp.no_bos"], survivors(last_logits(pretrain, without_bos)));
    const Model& sft = required(context.sft, "SFT model");
    const bool fits = *std::max_element(ids.begin(), ids.end()) < sft.config().vocab_size;
    if (fits) mistake(kHints["topp.sft_model"], survivors(last_logits(sft, ids)));
    mistake(kHints["topp.sharp_text"], survivors(last_logits(pretrain, with_bos(kLabSharpText))));
    const GenerateOptions defaults;
    mistake(kHints["topp.temperature"], survivors(logits, defaults.sampling.temperature));
    SurvivorCounts cut{};
    SurvivorCounts unshifted{};
    for (std::size_t i = 0; i < cut.size(); ++i) {
        Distribution stages;
        distribution(logits, ids,
                     {.temperature = 1,
                      .top_k = std::min(defaults.sampling.top_k, pretrain.config().vocab_size),
                      .top_p = kLabThresholds[i]},
                     stages);
        cut[i] = static_cast<std::int64_t>(stages.kept);
        unshifted[i] = std::max<std::int64_t>(1, reference.survivors[i] - 1);
    }
    mistake(kHints["topp.top_k"], cut);
    mistake(kHints["topp.not_shifted"], unshifted);
    found.set(std::move(reference));
    co_return Done{};
}

void judge_step(Judge& judge, const GradeReference& all) {
    const TopPReference& reference = all.get<TopPReference>();
    std::vector<Key> wanted;
    for (const std::string& key : keys()) wanted.push_back({key, KeyType::integer});
    const OpenedJson json = judge.open_json("topp", wanted);
    for (std::size_t i = 0; i < keys().size(); ++i) {
        const std::string id = join({"topp.survivors_", keys()[i]});
        judge.with_value(id, json, keys()[i], [&](const SubmittedValue& value) {
            const std::int64_t count = value.integer;
            const std::int64_t right = reference.survivors[i];
            const auto finding = [&](Hint hint) {
                return Finding{hint, {}, std::to_string(right), value.text};
            };
            if (count == right) return judge.pass(id);
            if (count >= reference.fewest[i] && count <= reference.most[i]) {
                return judge.pass(id, {finding(kHints["topp.borderline"])});
            }
            std::vector<Finding> findings;
            for (const auto& [hint, counts] : reference.mistaken_survivors) {
                if (count == counts[i]) findings.push_back({hint});
            }
            if (findings.empty()) findings.push_back({kHints["topp.differs"]});
            findings.back() = finding(findings.back().hint);
            judge.fail(id, std::move(findings));
        });
    }
}

}  // namespace

StepChecks top_p_checks() {
    return {.definitions = definitions(),
            .hints = kHints.list,
            .judge = judge_step,
            .reference = reference,
            .runs = 1};
}

}  // namespace mm::checks
