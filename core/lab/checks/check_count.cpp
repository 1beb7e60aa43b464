// Step 2, count.json: both counts against the formulas, and the counts that the usual slips give.
#include "core/base/join.hpp"
#include "core/lab/checks/judge.hpp"

namespace mm::checks {
namespace {

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
    add(found == other, other_found == right ? Hint::count_swapped : side.as_other);
    add(found == side.formula(prompt - 1, steps), Hint::count_no_bos);
    add(found == side.formula(prompt + 1, steps), Hint::count_two_bos);
    add(found == side.formula(prompt, steps + 1), Hint::count_one_step_more);
    add(found == side.formula(prompt, steps - 1), Hint::count_one_step_less);
    add(found == steps, Hint::count_steps_only);
    add(found == right + other, Hint::count_both_runs);
    constexpr std::int64_t kMostRuns = 8;  // a warm-up, three timed runs, both kinds
    add(found > right && found % right == 0 && found / right <= kMostRuns, Hint::count_not_reset);
    if (side.formula == &without_cache) {
        add(found == steps * prompt, Hint::count_growth_forgotten);
        add(found == right + steps, Hint::count_growth_off_by_one);
    }
    return list;
}

}  // namespace

void check_count(Judge& judge, const GradeReference& reference) {
    const OpenedJson json = judge.open_json("count", {{"prompt_len", KeyType::integer},
                                                      {"new_tokens", KeyType::integer},
                                                      {"fed_with_cache", KeyType::integer},
                                                      {"fed_without_cache", KeyType::integer}});
    check_lengths(judge, json, reference);
    const std::int64_t prompt = reference.prompt_len();
    const std::int64_t steps = reference.new_tokens();
    const auto other_value = [&](std::string_view key) {
        const SubmittedValue* const value = json.value(key);
        return value == nullptr ? -1 : value->integer;
    };
    const auto check = [&](const std::string& key, const Side& side, std::string_view other_key) {
        judge.integer(
            join({"count.", key}), json, key, side.formula(prompt, steps),
            [&](std::int64_t found) { return mistakes(found, other_value(other_key), side, prompt, steps); },
            Hint::count_differs);
    };
    check("fed_with_cache", {&with_cache, &without_cache, Hint::count_cache_off}, "fed_without_cache");
    check("fed_without_cache", {&without_cache, &with_cache, Hint::count_cache_on}, "fed_with_cache");
}

}  // namespace mm::checks
