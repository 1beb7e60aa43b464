// Mutated submissions: the numbers of steps 1 to 6, each with the mistake that gives them.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/lab/json_text.hpp"
#include "mutations.hpp"

namespace mm {
namespace {

using namespace test;

std::vector<Mutation> same_mutations() {
    const std::string file = "same.json";
    const std::int64_t p = same_reference().prompt_len();
    const std::vector<TokenId>& ids = same_reference().ids;
    std::vector<TokenId> more = ids;
    more.push_back(5);
    std::vector<TokenId> less(ids.begin(), ids.end() - 1);
    std::vector<TokenId> whole = same_reference().prompt;
    whole.insert(whole.end(), ids.begin(), ids.end());
    std::vector<TokenId> eos(ids.begin(), ids.begin() + 9);
    eos.push_back(2);
    std::vector<TokenId> changed = ids;
    changed[40] += 1;
    std::vector<Mutation> list = {
        key(file, "prompt_len", p - 1, {{"same.prompt_len", {"prompt.one_short"}}}),
        key(file, "prompt_len", p + 1, {{"same.prompt_len", {"prompt.one_long"}}}),
        key(file, "prompt_len", 512, {{"same.prompt_len", {"prompt.length"}}}),
        key(file, "new_tokens", 65, {{"same.new_tokens", {"steps.one_more"}}}),
        key(file, "new_tokens", 63, {{"same.new_tokens", {"steps.one_less"}}}),
        key(file, "new_tokens", -1, {{"same.new_tokens", {"steps.length"}}}),
        key(file, "same_ids", false, {{"same.same_ids", {"same.false"}}}),
        key(file, "ids", more, {{"same.ids", {"ids.one_step_more"}}}),
        key(file, "ids", less, {{"same.ids", {"ids.one_step_less"}}}),
        key(file, "ids", whole, {{"same.ids", {"ids.prompt_included"}}}),
        key(file, "ids", changed, {{"same.ids", {"ids.differ"}}}),
        key(file, "ids", Json::array(), {{"same.ids", {"ids.length"}}}),
        key(file, "ids", std::vector<TokenId>(ids.begin(), ids.begin() + 10), {{"same.ids", {"ids.length"}}}),
        key(file, "ids", Json::array({std::int64_t{1} << 40}), {{"same.ids", {"ids.differ"}}}),
    };
    // What other prompts and models give; several mistakes may give the same ids, the first names them.
    std::vector<std::vector<TokenId>> seen;
    for (const auto& [hint, mistaken] : same_reference().mistaken_ids) {
        if (std::find(seen.begin(), seen.end(), mistaken) != seen.end()) continue;
        seen.push_back(mistaken);
        list.push_back(key(file, "ids", mistaken, {{"same.ids", {std::string(hint.code)}}}));
    }
    return list;
}

std::vector<Mutation> count_mutations() {
    const std::string file = "count.json";
    const std::int64_t p = same_reference().prompt_len();
    const std::int64_t n = same_reference().new_tokens();
    const auto with = [&](std::int64_t value, const std::string& hint) {
        return key(file, "fed_with_cache", value, {{"count.fed_with_cache", {hint}}});
    };
    const auto without = [&](std::int64_t value, const std::string& hint) {
        return key(file, "fed_without_cache", value, {{"count.fed_without_cache", {hint}}});
    };
    const std::int64_t a = p + n - 1;
    const std::int64_t b = n * p + n * (n - 1) / 2;
    std::vector<Mutation> list = {
        key(file, "prompt_len", p - 1, {{"count.prompt_len", {"prompt.one_short"}}}),
        key(file, "new_tokens", n + 1, {{"count.new_tokens", {"steps.one_more"}}}),
        with(b, "count.cache_off"),
        with(n, "count.steps_only"),
        with(a + b, "count.both_runs"),
        with(4 * a, "count.not_reset"),
        with(0, "count.differs"),
        with(-5, "count.differs"),
        without(a, "count.cache_on"),
        without(n * (p - 1) + n * (n - 1) / 2, "count.no_bos"),
        without(n * (p + 1) + n * (n - 1) / 2 + 7, "count.differs"),
        without((n + 1) * p + (n + 1) * n / 2, "count.one_step_more"),
        without((n - 1) * p + (n - 1) * (n - 2) / 2, "count.one_step_less"),
        without(n * p, "count.growth_forgotten"),
        without(n, "count.steps_only"),
        without(3 * b, "count.not_reset"),
        {"count swapped",
         [=](Submission& s) {
             edit(s, "count.json", [&](Json& j) {
                 j["fed_with_cache"] = b;
                 j["fed_without_cache"] = a;
             });
         },
         {{"count.fed_with_cache", {"count.swapped"}}, {"count.fed_without_cache", {"count.swapped"}}}},
        // Numbers that two slips explain name both.
        key(file, "fed_with_cache", a - 1,
            {{"count.fed_with_cache", {"count.no_bos", "count.one_step_less"}}}),
        key(file, "fed_with_cache", a + 1,
            {{"count.fed_with_cache", {"count.two_bos", "count.one_step_more"}}}),
        key(file, "fed_without_cache", b + n,
            {{"count.fed_without_cache", {"count.two_bos", "count.growth_off_by_one"}}}),
    };
    return list;
}

std::vector<Mutation> time_mutations() {
    // The report quotes the speedup, so it is kept in step unless the mutation is about it.
    const auto times = [](const std::string& json, Findings failed) {
        return Mutation{"time.json " + json,
                        [json](Submission& s) {
                            const std::string old = parse_json(text_of(s, "time.json"), "")["speedup"].dump();
                            text_of(s, "time.json") = json;
                            const std::size_t at = json.find("\"speedup\": ") + 11;
                            replace(text_of(s, "report.md"), old, json.substr(at, json.find('}') - at));
                        },
                        std::move(failed)};
    };
    return {
        times(R"({"with_cache_s": 0.05, "without_cache_s": 0.31, "speedup": 6})", {}),
        times(R"({"with_cache_s": 0.13, "without_cache_s": 0.82, "speedup": 6.18})", {}),
        times(R"({"with_cache_s": 1.3e-1, "without_cache_s": 8.16E-1, "speedup": 6.2})", {}),
        times(R"({"with_cache_s": 0.13214, "without_cache_s": 0.81603, "speedup": 6.17})",
              {{"time.speedup", {"time.speedup_differs"}}}),
        times(R"({"with_cache_s": 0.0500, "without_cache_s": 0.3100, "speedup": 0.1613})",
              {{"time.speedup", {"time.speedup_inverted"}}}),
        times(R"({"with_cache_s": 0.0500, "without_cache_s": 0.3100, "speedup": 56.363636363636364})",
              {{"time.speedup", {"time.speedup_from_tokens"}}}),
        times(R"({"with_cache_s": 0.0500, "without_cache_s": 0.3100, "speedup": -6.2})",
              {{"time.speedup", {"time.speedup_differs"}}}),
        times(R"({"with_cache_s": 0.3100, "without_cache_s": 0.0500, "speedup": 0.16129032})",
              {{"time.cache_faster", {"time.cache_slower"}}}),
        times(R"({"with_cache_s": 0.31, "without_cache_s": 0.31, "speedup": 1.0})",
              {{"time.cache_faster", {"time.cache_slower"}}}),
        times(R"({"with_cache_s": 0, "without_cache_s": 0.31, "speedup": 6.2})",
              {{"time.positive", {"time.not_positive"}},
               {"time.cache_faster", {"time.not_positive"}},
               {"time.speedup", {"time.not_positive"}}}),
        times(R"({"with_cache_s": -0.05, "without_cache_s": -0.31, "speedup": 6.2})",
              {{"time.positive", {"time.not_positive"}},
               {"time.cache_faster", {"time.not_positive"}},
               {"time.speedup", {"time.not_positive"}}}),
        times(R"({"with_cache_s": "0.05", "without_cache_s": 0.31, "speedup": 6.2})",
              {{"time.keys", {"keys.type"}},
               {"time.positive", {"needs.key"}},
               {"time.cache_faster", {"needs.key"}},
               {"time.speedup", {"needs.key"}}}),
    };
}

std::vector<Mutation> bytes_mutations() {
    const std::string file = "kvbytes.json";
    const KvBytesResult& kv = kv_bytes_reference().kv_bytes;
    const auto right = static_cast<std::int64_t>(kv.formula_bytes());
    const auto measured = [&](std::int64_t value, std::vector<std::string> hints) {
        Mutation made = key(file, "measured_bytes", value, {{"kvbytes.measured_bytes", std::move(hints)}});
        made.apply = [=, inner = made.apply](Submission& s) {
            inner(s);
            replace(text_of(s, "report.md"), std::to_string(right), std::to_string(value));
        };
        return made;
    };
    const std::int64_t h = kv.num_attention_heads;
    const std::int64_t g = kv.num_key_value_heads;
    const std::int64_t k = kv.head_dim;
    return {
        measured(right / g * h, {"kv.after_repeat"}),
        measured(right / 2, {"kv.half"}),
        measured(right / 4, {"kv.elements"}),
        measured(right / kv.num_hidden_layers, {"kv.one_layer"}),
        measured(right / 100 * 101, {"kv.one_token_more"}),
        measured(right + 1, {"kv.differs"}),
        measured(0, {"kv.differs"}),
        key(file, "formula_bytes", right / g * h, {{"kvbytes.formula_bytes", {"kv.after_repeat"}}}),
        key(file, "formula_bytes", right * 3, {{"kvbytes.formula_bytes", {"kv.differs"}}}),
        key(file, "tokens", 101, {{"kvbytes.tokens", {"kv.tokens"}}}),
        key(file, "k_shape", {1, 100, h, k}, {{"kvbytes.k_shape", {"kv.shape_repeated"}}}),
        key(file, "k_shape", {1, g, 100, k}, {{"kvbytes.k_shape", {"kv.shape_transposed"}}}),
        key(file, "k_shape", {1, h, 100, k}, {{"kvbytes.k_shape", {"kv.shape_transposed"}}}),
        key(file, "k_shape", {1, 100, g * k}, {{"kvbytes.k_shape", {"kv.shape_flat"}}}),
        key(file, "k_shape", Json::array(), {{"kvbytes.k_shape", {"kv.shape_differs"}}}),
        {"bytes not in the report",
         [=](Submission& s) {
             replace(text_of(s, "report.md"), std::to_string(right), "1" + std::to_string(right));
         },
         {{"report.measured_bytes", {"report.number_missing"}}}},
    };
}

std::vector<Mutation> sampling_mutations() {
    const auto temperatures = [](std::int64_t low, std::int64_t middle, std::int64_t high, Findings failed,
                                 Findings noted = {}) {
        return Mutation{"temp.json",
                        [=](Submission& s) {
                            edit(s, "temp.json", [&](Json& j) {
                                j["0.3"]["distinct"] = low;
                                j["1.0"]["distinct"] = middle;
                                j["1.5"]["distinct"] = high;
                            });
                        },
                        std::move(failed), std::move(noted)};
    };
    std::vector<Mutation> list = {
        temperatures(0, 31, -4,
                     {{"temp.distinct_0.3", {"temp.range"}},
                      {"temp.distinct_1.0", {"temp.range"}},
                      {"temp.distinct_1.5", {"temp.range"}}}),
        temperatures(
            2, 25, 23, {{"temp.distinct_1.5", {"temp.decreasing"}}},
            {{"temp.distinct_0.3", {"temp.other_random"}}, {"temp.distinct_1.0", {"temp.other_random"}}}),
        temperatures(2, 3, 4, {},
                     {{"temp.distinct_0.3", {"temp.other_random"}},
                      {"temp.distinct_1.0", {"temp.other_random"}},
                      {"temp.distinct_1.5", {"temp.other_random"}}}),
    };
    for (const DistinctCounts& right : temperature_reference().distinct)
        list.push_back(temperatures(right[0], right[1], right[2], {}));
    for (const auto& [hint, wrong] : temperature_reference().mistaken_distinct) {
        // Mistakes with the same counts are told together.
        std::vector<std::string> hints;
        for (const auto& [other, counts] : temperature_reference().mistaken_distinct) {
            if (counts == wrong && std::find(hints.begin(), hints.end(), other.code) == hints.end())
                hints.emplace_back(other.code);
        }
        Findings failed;
        for (std::size_t i = 0; i < kLabTemperatures.size(); ++i) {
            const bool right =
                std::any_of(temperature_reference().distinct.begin(), temperature_reference().distinct.end(),
                            [value = wrong[i], i](const DistinctCounts& t) { return t[i] == value; });
            if (!right) failed["temp.distinct_" + number_text(kLabTemperatures[i])] = hints;
        }
        list.push_back(temperatures(wrong[0], wrong[1], wrong[2], std::move(failed)));
    }
    for (std::size_t i = 0; i < kLabThresholds.size(); ++i) {
        const std::string p = number_text(kLabThresholds[i]);
        const std::string id = "topp.survivors_" + p;
        list.push_back(key("topp.json", p, 100000, {{id, {"topp.differs"}}}));
        list.push_back(key("topp.json", p, 0, {{id, {"topp.differs"}}}));
        for (const auto& [hint, wrong] : top_p_reference().mistaken_survivors) {
            std::vector<std::string> hints;
            for (const auto& [other, counts] : top_p_reference().mistaken_survivors) {
                if (counts[i] == wrong[i]) hints.emplace_back(other.code);
            }
            const bool right =
                wrong[i] >= top_p_reference().fewest[i] && wrong[i] <= top_p_reference().most[i];
            if (!right) list.push_back(key("topp.json", p, wrong[i], {{id, hints}}));
        }
    }
    return list;
}

TEST(MutatedSubmissions, Same) {
    expect_judged(same_mutations());
}

TEST(MutatedSubmissions, Count) {
    expect_judged(count_mutations());
}

TEST(MutatedSubmissions, Time) {
    expect_judged(time_mutations());
}

TEST(MutatedSubmissions, KvBytes) {
    expect_judged(bytes_mutations());
}

TEST(MutatedSubmissions, Sampling) {
    expect_judged(sampling_mutations());
}

}  // namespace
}  // namespace mm
