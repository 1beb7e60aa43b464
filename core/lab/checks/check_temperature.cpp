// Step 5, temp.json: counts of different answers depend on the random stream, so there is more than one right
// answer; known mistakes are told from unknown streams by their own counts.
#include <algorithm>
#include <optional>

#include "core/base/join.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/temperature.hpp"

namespace mm::checks {
namespace {

constexpr std::array<std::string_view, 3> kKeys{"0.3", "1.0", "1.5"};

struct Counts {
    std::array<std::optional<std::int64_t>, 3> at;

    bool equal(const Triple& triple) const {
        return std::equal(at.begin(), at.end(), triple.begin(),
                          [](const auto& a, std::int64_t b) { return a == b; });
    }
};

bool possible(std::int64_t count) {
    return count >= 1 && count <= kLabAnswers;
}

void judge_one(Judge& judge, std::size_t i, const Counts& counts, const GradeReference& reference,
               const std::vector<Hint>& mistakes, bool known) {
    const std::string id = join({"temp.distinct_", kKeys[i]});
    const std::int64_t count = *counts.at[i];
    const bool equal = std::any_of(reference.distinct.begin(), reference.distinct.end(),
                                   [&](const Triple& triple) { return triple[i] == count; });
    const auto finding = [&](Hint hint) {
        return Finding{hint, {}, std::to_string(reference.distinct.front()[i]), std::to_string(count)};
    };
    if (known) return judge.pass(id);
    if (!possible(count)) return judge.fail(id, {finding(Hint::temp_range)});
    if (!mistakes.empty()) {
        if (equal) return judge.pass(id);  // this one the mistake has not changed
        std::vector<Finding> findings;
        for (const Hint hint : mistakes) findings.push_back({hint});
        findings.back() = finding(mistakes.back());
        return judge.fail(id, std::move(findings));
    }
    for (std::size_t before = 0; before < i; ++before) {
        if (counts.at[before] && possible(*counts.at[before]) && count < *counts.at[before]) {
            return judge.fail(id, {finding(Hint::temp_decreasing)});
        }
    }
    if (equal) return judge.pass(id);
    judge.pass(id, {finding(Hint::temp_other_random)});
}

}  // namespace

void check_temperature(Judge& judge, const GradeReference& reference) {
    const OpenedJson json = judge.open_json(
        "temp", {{kKeys[0], KeyType::counts}, {kKeys[1], KeyType::counts}, {kKeys[2], KeyType::counts}});
    Counts counts;
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
        if (const SubmittedValue* const value = json.value(kKeys[i]))
            counts.at[i] = value->member("distinct")->integer;
    }
    const bool known = std::any_of(reference.distinct.begin(), reference.distinct.end(),
                                   [&](const Triple& triple) { return counts.equal(triple); });
    std::vector<Hint> mistakes;
    for (const auto& [hint, triple] : reference.mistaken_distinct) {
        const bool listed = std::find(mistakes.begin(), mistakes.end(), hint) != mistakes.end();
        if (counts.equal(triple) && !listed) mistakes.push_back(hint);
    }
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
        judge.with_value(join({"temp.distinct_", kKeys[i]}), json, kKeys[i], [&](const SubmittedValue&) {
            judge_one(judge, i, counts, reference, mistakes, known);
        });
    }
}

}  // namespace mm::checks
