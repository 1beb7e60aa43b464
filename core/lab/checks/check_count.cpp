// Step 2, count.json: both counts against the formulas, and the counts that the usual slips give.
#include "core/base/join.hpp"
#include "core/lab/checks/check_same.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/step_checks.hpp"

namespace mm::checks {
namespace {

constexpr Hints<13> kHints{{{
    Hint{"count.no_bos", "bos 가 없는 프롬프트로 센 값입니다.", "这是没有 bos 的提示词的计数。",
         "This is the count for a prompt without bos."},
    Hint{"count.two_bos", "프롬프트가 하나 길 때(bos 가 두 번) 센 값입니다.",
         "这是提示词多一个（bos 出现两次）时的计数。",
         "This is the count for a prompt one token too long (bos twice)."},
    Hint{"count.one_step_more",
         "한 걸음 많이 센 값입니다. 마지막 새 토큰은 forward 에 다시 들어가지 않습니다.",
         "多算了一步。最后一个新标记不再进入 forward。",
         "This counts one step too many; the last new token never enters forward."},
    Hint{"count.one_step_less", "한 걸음 적게 센 값입니다.", "少算了一步。", "This counts one step too few."},
    Hint{"count.swapped", "캐시 있음과 없음의 값이 뒤바뀌었습니다.", "有缓存与无缓存的值写反了。",
         "The values with and without the cache are interchanged."},
    Hint{"count.cache_off", "이쪽도 캐시 없이 실행되었습니다(use_cache=True 인지 확인하세요).",
         "这一侧也没有使用缓存（请检查 use_cache=True）。",
         "This run had no cache either (check use_cache=True)."},
    Hint{"count.cache_on", "이쪽도 캐시를 켠 채 실행되었습니다(use_cache=False 인지 확인하세요).",
         "这一侧也使用了缓存（请检查 use_cache=False）。",
         "This run had the cache on too (check use_cache=False)."},
    Hint{"count.steps_only", "forward 가 불린 횟수를 셌습니다. 들어간 input_ids 의 길이를 더하세요.",
         "数的是调用 forward 的次数。应累加进入的 input_ids 的长度。",
         "This counts the calls of forward; sum the lengths of the input_ids that enter it."},
    Hint{"count.not_reset", "같은 생성을 여러 번 더한 값입니다. 실행마다 계수를 0으로 되돌리세요.",
         "这是同一生成多次累加的值。每次运行前把计数清零。",
         "This is the same run counted several times; reset the counter before each run."},
    Hint{"count.both_runs", "두 생성을 합친 값입니다. 실행마다 따로 세세요.",
         "这是两次生成之和。请分别计数。", "This is the sum of both runs; count each by itself."},
    Hint{"count.growth_forgotten",
         "걸음마다 늘어나는 새 토큰을 빠뜨렸습니다. 캐시가 없으면 지금까지의 전체가 다시 들어갑니다.",
         "漏了每一步增加的新标记。没有缓存时，每步都会重新输入到目前为止的全部。",
         "The new tokens that each step adds are missing; without the cache everything so far enters again."},
    Hint{"count.growth_off_by_one", "늘어나는 부분이 한 걸음 빠릅니다. 첫 걸음에는 프롬프트만 들어갑니다.",
         "增长部分早了一步：第一步只输入提示词。",
         "The growth begins one step early; the first step feeds the prompt alone."},
    Hint{"count.differs", "식으로 계산한 값과 다릅니다.", "与公式计算的值不同。",
         "This differs from what the formula gives."},
}}};

std::vector<CheckDefinition> definitions() {
    return {
        {"count.file", 1, "count.json 을 읽을 수 있다", "count.json 可读", "count.json can be read"},
        {"count.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
        {"count.prompt_len", 1, "프롬프트 길이", "提示词长度", "length of the prompt"},
        {"count.new_tokens", 1, "새 토큰의 수", "新标记数", "number of new tokens"},
        {"count.fed_with_cache", 5, "캐시가 있을 때 들어간 토큰", "有缓存时输入的标记数",
         "tokens fed with the cache"},
        {"count.fed_without_cache", 5, "캐시가 없을 때 들어간 토큰", "无缓存时输入的标记数",
         "tokens fed without the cache"},
    };
}

// P + (N − 1)
std::int64_t with_cache(std::int64_t prompt, std::int64_t steps) {
    return prompt + steps - 1;
}
// N·P + N(N − 1)/2
std::int64_t without_cache(std::int64_t prompt, std::int64_t steps) {
    return steps * prompt + steps * (steps - 1) / 2;
}

using Formula = std::int64_t (*)(std::int64_t, std::int64_t);

struct Side {
    Formula formula;
    Formula other;
    Hint as_other;  // the run was of the other kind
};

// Every slip whose count is `found`. `other_found` is what stands on the other side, to tell interchanged
// values from one run made twice.
std::vector<Finding> mistakes(std::int64_t found, std::int64_t other_found, const Side& side,
                              std::int64_t prompt, std::int64_t steps) {
    const std::int64_t right = side.formula(prompt, steps);
    const std::int64_t other = side.other(prompt, steps);
    std::vector<Finding> list;
    const auto add = [&](bool applies, Hint hint) {
        if (applies) list.push_back({hint});
    };
    add(found == other, other_found == right ? kHints["count.swapped"] : side.as_other);
    add(found == side.formula(prompt - 1, steps), kHints["count.no_bos"]);
    add(found == side.formula(prompt + 1, steps), kHints["count.two_bos"]);
    add(found == side.formula(prompt, steps + 1), kHints["count.one_step_more"]);
    add(found == side.formula(prompt, steps - 1), kHints["count.one_step_less"]);
    add(found == steps, kHints["count.steps_only"]);
    add(found == right + other, kHints["count.both_runs"]);
    constexpr std::int64_t kMostRuns = 8;  // a warm-up, three timed runs, both kinds
    add(found > right && found % right == 0 && found / right <= kMostRuns, kHints["count.not_reset"]);
    if (side.formula == &without_cache) {
        add(found == steps * prompt, kHints["count.growth_forgotten"]);
        add(found == right + steps, kHints["count.growth_off_by_one"]);
    }
    return list;
}

void judge_step(Judge& judge, const GradeReference& reference) {
    const OpenedJson json = judge.open_json("count", {{"prompt_len", KeyType::integer},
                                                      {"new_tokens", KeyType::integer},
                                                      {"fed_with_cache", KeyType::integer},
                                                      {"fed_without_cache", KeyType::integer}});
    check_lengths(judge, json, reference);
    const std::int64_t prompt = reference.get<SameReference>().prompt_len();
    const std::int64_t steps = reference.get<SameReference>().new_tokens();
    const auto other_value = [&](std::string_view key) {
        const SubmittedValue* const value = json.value(key);
        return value == nullptr ? -1 : value->integer;
    };
    const auto check = [&](const std::string& key, const Side& side, std::string_view other_key) {
        judge.integer(
            join({"count.", key}), json, key, side.formula(prompt, steps),
            [&](std::int64_t found) { return mistakes(found, other_value(other_key), side, prompt, steps); },
            kHints["count.differs"]);
    };
    check("fed_with_cache", {&with_cache, &without_cache, kHints["count.cache_off"]}, "fed_without_cache");
    check("fed_without_cache", {&without_cache, &with_cache, kHints["count.cache_on"]}, "fed_with_cache");
}

}  // namespace

StepChecks count_checks() {
    return {.definitions = definitions(), .hints = kHints.list, .judge = judge_step};
}

}  // namespace mm::checks
