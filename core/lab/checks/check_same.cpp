// Step 1, same.json: the reference model's greedy tokens, and the claim that the cache does not change them.
#include <algorithm>

#include "core/base/join.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/checks/check_same.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/step_checks.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/temperature.hpp"

namespace mm::checks {
namespace {

constexpr Hints<12> kHints{{{
    Hint{"ids.no_bos", "bos 없이 생성한 결과입니다. 프롬프트 앞에 bos(1) 를 붙이세요.",
         "这是没有 bos 时的结果。请在提示词前加上 bos(1)。",
         "These are the ids of a run without bos; put bos (1) in front of the prompt."},
    Hint{"ids.bos_inside",
         "bos 를 200개 안에 넣어 자른 프롬프트의 결과입니다. 먼저 200개로 자른 뒤 앞에 bos 를 더하세요.",
         "这是把 bos 算在 200 个之内的结果。应先截取 200 个，再在前面加 bos。",
         "These are the ids of a prompt in which bos was one of the 200; cut to 200 first, then put bos in "
         "front."},
    Hint{"ids.no_space", "문서들을 공백 없이 이은 결과입니다. 공백 하나로 이으세요.",
         "这是文档之间没有空格的结果。请用一个空格连接。",
         "These are the ids for documents joined without a space; join them by one space."},
    Hint{"ids.newline", "문서들을 줄바꿈으로 이은 결과입니다. 공백 하나로 이으세요.",
         "这是用换行连接文档的结果。请用一个空格连接。",
         "These are the ids for documents joined by line breaks; join them by one space."},
    Hint{"ids.sft_model", "SFT 체크포인트로 생성한 결과입니다. 1단계는 사전학습 체크포인트를 씁니다.",
         "这是用 SFT 检查点生成的结果。第 1 步使用预训练检查点。",
         "These are the SFT checkpoint's ids; step 1 uses the pretrained one."},
    Hint{"ids.prompt_included", "프롬프트의 id 까지 적었습니다. 새 토큰만 적으세요.",
         "把提示词的 id 也写进来了。只写新标记。",
         "The prompt's ids are included; give the new tokens only."},
    Hint{"ids.one_step_more", "앞의 id 는 맞지만 한 걸음 많이 생성했습니다.",
         "前面的 id 正确，但多生成了一步。", "The ids are right, but there is one step too many."},
    Hint{"ids.one_step_less", "적은 id 는 맞지만 한 걸음 모자랍니다.", "写出的 id 正确，但少一步。",
         "The ids are right, but there is one step too few."},
    Hint{"ids.stopped_at_eos", "eos 에서 멈춘 결과입니다. eos_token_id=None 으로 64개를 끝까지 생성하세요.",
         "在 eos 处停止了。请用 eos_token_id=None 生成全部 64 个。",
         "The run stopped at eos; pass eos_token_id=None to get all 64."},
    Hint{"ids.length", "id 의 개수가 다릅니다. 새 토큰 64개입니다.", "id 的个数不对，应为 64 个新标记。",
         "The number of ids differs: there are 64 new tokens."},
    Hint{"ids.differ",
         "{position}번째 새 토큰부터 기준과 다릅니다. 프롬프트와 욕심쟁이 조건(do_sample=False, top_k=0, "
         "top_p=1.0)을 "
         "확인하세요.",
         "从第 {position} 个新标记起与基准不同。请检查提示词和贪心条件（do_sample=False, top_k=0, "
         "top_p=1.0）。",
         "The ids differ from the reference from new token {position} on; check the prompt and the greedy "
         "conditions "
         "(do_sample=False, top_k=0, top_p=1.0)."},
    Hint{
        "same.false",
        "캐시가 있든 없든 욕심쟁이 생성은 같아야 합니다. 다르다면 캐시가 아니라 조건(샘플링·난수)이 다른 "
        "것입니다.",
        "有无缓存，贪心生成都应相同。不同说明条件（采样、随机数）不同，而不是缓存的问题。",
        "Greedy decoding gives the same tokens with and without the cache; if not, the conditions (sampling, "
        "random "
        "numbers) differ, not the cache."},
}}};

std::vector<CheckDefinition> definitions() {
    return {
        {"same.file", 1, "same.json 을 읽을 수 있다", "same.json 可读", "same.json can be read"},
        {"same.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
        {"same.prompt_len", 2, "프롬프트 길이", "提示词长度", "length of the prompt"},
        {"same.new_tokens", 2, "새 토큰의 수", "新标记数", "number of new tokens"},
        {"same.ids", 8, "기준 실행과 같은 id", "id 与基准运行相同", "ids equal to the reference run"},
        {"same.same_ids", 2, "캐시가 있든 없든 같다", "有无缓存结果相同", "the same with and without cache"},
    };
}

std::string id_text(const std::vector<TokenId>& ids, std::size_t at) {
    return at < ids.size() ? std::to_string(ids[at]) : "–";
}

std::string id_text(const std::vector<std::int64_t>& ids, std::size_t at) {
    return at < ids.size() ? std::to_string(ids[at]) : "–";
}

// What a list of ids that is not the reference's comes from.
Finding mistake_of(const std::vector<std::int64_t>& found, const SameReference& reference) {
    const std::vector<TokenId>& ids = reference.ids;
    const auto equal = [](const auto& a, const auto& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    for (const auto& [hint, mistaken] : reference.mistaken_ids) {
        if (equal(found, mistaken)) return {hint};
    }
    std::vector<TokenId> whole = reference.prompt;
    whole.insert(whole.end(), ids.begin(), ids.end());
    if (equal(found, whole)) return {kHints["ids.prompt_included"]};

    const std::size_t at = static_cast<std::size_t>(
        std::mismatch(found.begin(), found.end(), ids.begin(), ids.end()).first - found.begin());
    const bool prefix = at == std::min(found.size(), ids.size());
    if (prefix && found.size() == ids.size() + 1) return {kHints["ids.one_step_more"]};
    if (prefix && !found.empty() && found.size() < ids.size()) {
        if (found.back() == kLabEos || ids[found.size()] == kLabEos) return {kHints["ids.stopped_at_eos"]};
        if (found.size() + 1 == ids.size()) return {kHints["ids.one_step_less"]};
    }
    if (prefix) return {kHints["ids.length"], {}, std::to_string(ids.size()), std::to_string(found.size())};
    return {kHints["ids.differ"], {{"position", at + 1}}, id_text(ids, at), id_text(found, at)};
}

}  // namespace

void check_lengths(Judge& judge, const OpenedJson& json, const GradeReference& all) {
    const SameReference& reference = all.get<SameReference>();
    const std::string group(json.group);
    judge.integer(
        join({group, ".prompt_len"}), json, "prompt_len", reference.prompt_len(),
        [&](std::int64_t found) -> std::vector<Finding> {
            if (found == reference.prompt_len() - 1) return {{kCommonHints["prompt.one_short"]}};
            if (found == reference.prompt_len() + 1) return {{kCommonHints["prompt.one_long"]}};
            return {};
        },
        kCommonHints["prompt.length"]);
    judge.integer(
        join({group, ".new_tokens"}), json, "new_tokens", reference.new_tokens(),
        [&](std::int64_t found) -> std::vector<Finding> {
            if (found == reference.new_tokens() + 1) return {{kCommonHints["steps.one_more"]}};
            if (found == reference.new_tokens() - 1) return {{kCommonHints["steps.one_less"]}};
            return {};
        },
        kCommonHints["steps.length"]);
}

namespace {

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

Steps<Done> reference(const LabContext& context, const std::function<void()>& next, GradeReference& found) {
    SameReference reference;
    const Model& pretrain = required(context.pretrain, "pretrained model");
    next();
    reference.prompt = lab_prompt(context);
    reference.ids = co_await greedy(context, pretrain, reference.prompt);

    const std::vector<TokenId>& prompt = reference.prompt;
    const std::vector<GreedyMistake> mistakes = {
        {kHints["ids.no_bos"], pretrain, {prompt.begin() + 1, prompt.end()}},
        {kHints["ids.bos_inside"], pretrain, {prompt.begin(), prompt.end() - 1}},
        {kHints["ids.sft_model"], required(context.sft, "SFT model"), prompt},
        {kHints["ids.no_space"], pretrain, prompt_joined_by(context, "")},
        {kHints["ids.newline"], pretrain, prompt_joined_by(context, "\n")}};
    for (const GreedyMistake& mistake : mistakes) {
        next();
        if (!fits(mistake.prompt, mistake.model)) continue;
        std::vector<TokenId> ids = co_await greedy(context, mistake.model, mistake.prompt);
        if (ids != reference.ids) reference.mistaken_ids.emplace_back(mistake.hint, std::move(ids));
    }
    found.set(std::move(reference));
    co_return Done{};
}

void judge_step(Judge& judge, const GradeReference& all) {
    const SameReference& reference = all.get<SameReference>();
    const OpenedJson json = judge.open_json("same", {{"prompt_len", KeyType::integer},
                                                     {"new_tokens", KeyType::integer},
                                                     {"same_ids", KeyType::boolean},
                                                     {"ids", KeyType::integers}});
    check_lengths(judge, json, all);
    judge.with_value("same.ids", json, "ids", [&](const SubmittedValue& value) {
        std::vector<std::int64_t> found;
        for (const SubmittedValue& item : value.items) found.push_back(item.integer);
        if (std::equal(found.begin(), found.end(), reference.ids.begin(), reference.ids.end())) {
            return judge.pass("same.ids");
        }
        judge.fail("same.ids", {mistake_of(found, reference)});
    });
    judge.with_value("same.same_ids", json, "same_ids", [&](const SubmittedValue& value) {
        value.boolean ? judge.pass("same.same_ids") : judge.fail("same.same_ids", {kHints["same.false"]});
    });
}

}  // namespace

StepChecks same_checks() {
    return {.definitions = definitions(),
            .hints = kHints.list,
            .judge = judge_step,
            .reference = reference,
            .runs = 6};
}

}  // namespace mm::checks
