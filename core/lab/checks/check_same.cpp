// Step 1, same.json: the reference model's greedy tokens, and the claim that the cache does not change them.
#include <algorithm>

#include "core/base/join.hpp"
#include "core/lab/checks/judge.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/temperature.hpp"

namespace mm::checks {
namespace {

std::string id_text(const std::vector<TokenId>& ids, std::size_t at) {
    return at < ids.size() ? std::to_string(ids[at]) : "–";
}

std::string id_text(const std::vector<std::int64_t>& ids, std::size_t at) {
    return at < ids.size() ? std::to_string(ids[at]) : "–";
}

// What a list of ids that is not the reference's comes from.
Finding mistake_of(const std::vector<std::int64_t>& found, const GradeReference& reference) {
    const std::vector<TokenId>& ids = reference.ids;
    const auto equal = [](const auto& a, const auto& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    for (const auto& [hint, mistaken] : reference.mistaken_ids) {
        if (equal(found, mistaken)) return {hint};
    }
    std::vector<TokenId> whole = reference.prompt;
    whole.insert(whole.end(), ids.begin(), ids.end());
    if (equal(found, whole)) return {Hint::ids_prompt_included};

    const std::size_t at = static_cast<std::size_t>(
        std::mismatch(found.begin(), found.end(), ids.begin(), ids.end()).first - found.begin());
    const bool prefix = at == std::min(found.size(), ids.size());
    if (prefix && found.size() == ids.size() + 1) return {Hint::ids_one_step_more};
    if (prefix && !found.empty() && found.size() < ids.size()) {
        if (found.back() == kLabEos || ids[found.size()] == kLabEos) return {Hint::ids_stopped_at_eos};
        if (found.size() + 1 == ids.size()) return {Hint::ids_one_step_less};
    }
    if (prefix) return {Hint::ids_length, {}, std::to_string(ids.size()), std::to_string(found.size())};
    return {Hint::ids_differ, {{"position", at + 1}}, id_text(ids, at), id_text(found, at)};
}

}  // namespace

void check_lengths(Judge& judge, const OpenedJson& json, const GradeReference& reference) {
    const std::string group(json.group);
    judge.integer(
        join({group, ".prompt_len"}), json, "prompt_len", reference.prompt_len(),
        [&](std::int64_t found) -> std::vector<Finding> {
            if (found == reference.prompt_len() - 1) return {{Hint::prompt_one_short}};
            if (found == reference.prompt_len() + 1) return {{Hint::prompt_one_long}};
            return {};
        },
        Hint::prompt_length);
    judge.integer(
        join({group, ".new_tokens"}), json, "new_tokens", reference.new_tokens(),
        [&](std::int64_t found) -> std::vector<Finding> {
            if (found == reference.new_tokens() + 1) return {{Hint::steps_one_more}};
            if (found == reference.new_tokens() - 1) return {{Hint::steps_one_less}};
            return {};
        },
        Hint::steps_length);
}

void check_same(Judge& judge, const GradeReference& reference) {
    const OpenedJson json = judge.open_json("same", {{"prompt_len", KeyType::integer},
                                                     {"new_tokens", KeyType::integer},
                                                     {"same_ids", KeyType::boolean},
                                                     {"ids", KeyType::integers}});
    check_lengths(judge, json, reference);
    judge.with_value("same.ids", json, "ids", [&](const SubmittedValue& value) {
        std::vector<std::int64_t> found;
        for (const SubmittedValue& item : value.items) found.push_back(item.integer);
        if (std::equal(found.begin(), found.end(), reference.ids.begin(), reference.ids.end())) {
            return judge.pass("same.ids");
        }
        judge.fail("same.ids", {mistake_of(found, reference)});
    });
    judge.with_value("same.same_ids", json, "same_ids", [&](const SubmittedValue& value) {
        value.boolean ? judge.pass("same.same_ids") : judge.fail("same.same_ids", {Hint::same_false});
    });
}

}  // namespace mm::checks
