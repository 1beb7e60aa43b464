// Step 3, time.json: absolute times are nobody's fault and never graded; their relation is.
#include "core/lab/checks/judge.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/written_number.hpp"

namespace mm::checks {
namespace {

Interval before_rounding(const SubmittedValue& value) {
    return mm::before_rounding(value.real, value.text);
}

}  // namespace

void check_time(Judge& judge, const GradeReference& reference, Quoted& quoted) {
    const OpenedJson json = judge.open_json("time", {{"with_cache_s", KeyType::number},
                                                     {"without_cache_s", KeyType::number},
                                                     {"speedup", KeyType::number}});
    const SubmittedValue* const with = json.value("with_cache_s");
    const SubmittedValue* const without = json.value("without_cache_s");
    const SubmittedValue* const speedup = json.value("speedup");
    if (speedup != nullptr) {
        quoted.speedup = speedup->text;
        quoted.speedup_value = speedup->real;
    }
    // A check over several keys needs them all.
    const auto with_times = [&](std::string_view id, const auto& check) {
        const std::string_view lacking = with == nullptr ? "with_cache_s" : "without_cache_s";
        judge.with_value(id, json, lacking, [&](const SubmittedValue&) { check(); });
    };
    with_times("time.positive", [&] {
        const bool positive = with->real > 0 && without->real > 0;
        positive ? judge.pass("time.positive") : judge.fail("time.positive", {Hint::time_not_positive});
    });
    with_times("time.cache_faster", [&] {
        if (with->real > 0 && with->real < without->real) return judge.pass("time.cache_faster");
        judge.fail("time.cache_faster",
                   {with->real > 0 && without->real > 0 ? Hint::time_cache_slower : Hint::time_not_positive});
    });
    if (speedup == nullptr) {
        judge.with_value("time.speedup", json, "speedup", [](const SubmittedValue&) {});
        return;
    }
    with_times("time.speedup", [&] {
        if (!(with->real > 0 && without->real > 0)) {
            return judge.fail("time.speedup", {Hint::time_not_positive});
        }
        const Interval written = before_rounding(*speedup);
        const Interval x = before_rounding(*with);
        const Interval y = before_rounding(*without);
        if (speedup->real > 0 && written.meets(ratio_of(y, x))) return judge.pass("time.speedup");
        std::vector<Finding> findings;
        if (written.meets(ratio_of(x, y)) && speedup->real > 0)
            findings.push_back({Hint::time_speedup_inverted});
        const auto prompt = static_cast<double>(reference.prompt_len());
        const auto steps = static_cast<double>(reference.new_tokens());
        const double factor = (steps * prompt + steps * (steps - 1) / 2) / (prompt + steps - 1);
        if (speedup->real > 0 && written.meets({factor, factor})) {
            findings.push_back({Hint::time_speedup_from_tokens});
        }
        if (findings.empty()) findings.push_back({Hint::time_speedup_differs});
        findings.back().expected = rounded_text(without->real / with->real, 4);
        findings.back().found = speedup->text;
        judge.fail("time.speedup", std::move(findings));
    });
}

}  // namespace mm::checks
