// Step 3, time.json: absolute times are nobody's fault and never graded; their relation is.
#include "core/lab/checks/check_same.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/checks/step_checks.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/written_number.hpp"

namespace mm::checks {
namespace {

constexpr Hints<5> kHints{{{
    Hint{"time.not_positive", "시간은 0보다 커야 합니다.", "时间必须大于 0。", "Times must be above 0."},
    Hint{"time.cache_slower",
         "캐시가 있는 쪽이 더 느립니다. 두 값이 뒤바뀌었거나, 데우는 첫 실행을 잰 것일 수 있습니다.",
         "有缓存反而更慢：两个值可能写反了，或把预热的第一次也计时了。",
         "The side with the cache is slower: the values may be interchanged, or the warm-up run was timed."},
    Hint{"time.speedup_inverted", "speedup 이 거꾸로입니다. 없음 ÷ 있음입니다.",
         "speedup 写反了，应为 无缓存 ÷ 有缓存。", "speedup is inverted: it is without ÷ with."},
    Hint{"time.speedup_from_tokens", "토큰 수의 배수를 적었습니다. speedup 은 잰 시간의 배수입니다.",
         "写的是标记数的倍数。speedup 是所测时间的倍数。",
         "This is the ratio of token counts; speedup is the ratio of the measured times."},
    Hint{"time.speedup_differs", "speedup 이 적힌 두 시간의 비(없음 ÷ 있음)와 다릅니다.",
         "speedup 与所写两个时间之比（无 ÷ 有）不符。",
         "speedup is not the ratio of the two times as written (without ÷ with)."},
}}};

std::vector<CheckDefinition> definitions() {
    return {
        {"time.file", 1, "time.json 을 읽을 수 있다", "time.json 可读", "time.json can be read"},
        {"time.keys", 1, "필요한 키와 꼴", "所需的键和类型", "required keys and types"},
        {"time.positive", 3, "시간이 0보다 크다", "时间大于 0", "times are above 0"},
        {"time.cache_faster", 3, "캐시가 있는 쪽이 빠르다", "有缓存更快", "the cache side is faster"},
        {"time.speedup", 4, "speedup 은 두 시간의 비다", "speedup 是两个时间之比",
         "speedup is the ratio of the times"},
    };
}

Interval before_rounding(const SubmittedValue& value) {
    return mm::before_rounding(value.real, value.text);
}

void judge_step(Judge& judge, const GradeReference& reference) {
    const OpenedJson json = judge.open_json("time", {{"with_cache_s", KeyType::number},
                                                     {"without_cache_s", KeyType::number},
                                                     {"speedup", KeyType::number}});
    const SubmittedValue* const with = json.value("with_cache_s");
    const SubmittedValue* const without = json.value("without_cache_s");
    const SubmittedValue* const speedup = json.value("speedup");
    judge.quote({.key = "speedup",
                 .file = "time.json",
                 .written = speedup == nullptr ? "" : speedup->text,
                 .value = speedup == nullptr ? 0 : speedup->real});
    // A check over several keys needs them all.
    const auto with_times = [&](std::string_view id, const auto& check) {
        const std::string_view lacking = with == nullptr ? "with_cache_s" : "without_cache_s";
        judge.with_value(id, json, lacking, [&](const SubmittedValue&) { check(); });
    };
    with_times("time.positive", [&] {
        const bool positive = with->real > 0 && without->real > 0;
        positive ? judge.pass("time.positive") : judge.fail("time.positive", {kHints["time.not_positive"]});
    });
    with_times("time.cache_faster", [&] {
        if (with->real > 0 && with->real < without->real) return judge.pass("time.cache_faster");
        judge.fail("time.cache_faster", {with->real > 0 && without->real > 0 ? kHints["time.cache_slower"]
                                                                             : kHints["time.not_positive"]});
    });
    if (speedup == nullptr) {
        judge.with_value("time.speedup", json, "speedup", [](const SubmittedValue&) {});
        return;
    }
    with_times("time.speedup", [&] {
        if (!(with->real > 0 && without->real > 0)) {
            return judge.fail("time.speedup", {kHints["time.not_positive"]});
        }
        const Interval written = before_rounding(*speedup);
        const Interval x = before_rounding(*with);
        const Interval y = before_rounding(*without);
        if (speedup->real > 0 && written.meets(ratio_of(y, x))) return judge.pass("time.speedup");
        std::vector<Finding> findings;
        if (written.meets(ratio_of(x, y)) && speedup->real > 0)
            findings.push_back({kHints["time.speedup_inverted"]});
        const auto prompt = static_cast<double>(reference.get<SameReference>().prompt_len());
        const auto steps = static_cast<double>(reference.get<SameReference>().new_tokens());
        const double factor = (steps * prompt + steps * (steps - 1) / 2) / (prompt + steps - 1);
        if (speedup->real > 0 && written.meets({factor, factor})) {
            findings.push_back({kHints["time.speedup_from_tokens"]});
        }
        if (findings.empty()) findings.push_back({kHints["time.speedup_differs"]});
        findings.back().expected = rounded_text(without->real / with->real, 4);
        findings.back().found = speedup->text;
        judge.fail("time.speedup", std::move(findings));
    });
}

}  // namespace

StepChecks time_checks() {
    return {.definitions = definitions(), .hints = kHints.list, .judge = judge_step};
}

}  // namespace mm::checks
