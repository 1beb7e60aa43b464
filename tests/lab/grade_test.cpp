// Mutated submissions: each must fail exactly the checks it should, for exactly the reasons it should, and
// say so in three languages. And the lab's own output must score full.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/lab/json_text.hpp"
#include "core/text/utf8.hpp"
#include "grading.hpp"

namespace mm {
namespace {

using test::Grading;
using Findings = std::map<std::string, std::vector<Hint>>;  // of checks that say something, by id

const Grading& grading() {
    return Grading::instance();
}

const GradeReference& reference() {
    return grading().reference;
}

Findings failures(const Grade& grade) {
    Findings found;
    for (const CheckResult& check : grade.checks) {
        if (check.ok) continue;
        auto& hints = found[std::string(check.id)];
        for (const Finding& finding : check.findings) hints.push_back(finding.hint);
    }
    return found;
}

Findings notes(const Grade& grade) {
    Findings found;
    for (const CheckResult& check : grade.checks) {
        if (!check.ok) continue;
        for (const Finding& finding : check.findings) found[std::string(check.id)].push_back(finding.hint);
    }
    return found;
}

std::string& text_of(Submission& submission, const std::string& file) {
    return submission.files.at(file).text;
}

void edit(Submission& submission, const std::string& file, const std::function<void(Json&)>& change) {
    std::string& text = text_of(submission, file);
    Json json = parse_json(text, file);
    change(json);
    text = json_text(json);
}

void replace(std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    for (std::size_t i = at; i != std::string::npos; i = text.find(from, i + to.size())) {
        text.replace(i, from.size(), to);
    }
}

// Everything that needs a file that is of no use.
Findings lost(const std::string& group, Hint reason, const std::vector<std::string>& rest) {
    Findings expected{{group + ".file", {reason}}};
    for (const std::string& check : rest) expected[group + "." + check] = {Hint::needs_file};
    return expected;
}

const std::map<std::string, std::vector<std::string>>& dependents() {
    static const std::map<std::string, std::vector<std::string>> all = {
        {"cache", {"both_ways"}},
        {"same", {"keys", "prompt_len", "new_tokens", "ids", "same_ids"}},
        {"count", {"keys", "prompt_len", "new_tokens", "fed_with_cache", "fed_without_cache"}},
        {"time", {"keys", "positive", "cache_faster", "speedup"}},
        {"kvbytes", {"keys", "tokens", "measured_bytes", "formula_bytes", "k_shape"}},
        {"temp", {"keys", "distinct_0.3", "distinct_1.0", "distinct_1.5"}},
        {"topp", {"keys", "survivors_0.5", "survivors_0.9", "survivors_0.99"}},
        {"report", {"headings", "speedup", "measured_bytes"}}};
    return all;
}

Findings lost_file(const std::string& file, Hint reason) {
    const std::string group = file.substr(0, file.find('.'));
    Findings expected = lost(group, reason, dependents().at(group));
    if (group == "time") expected["report.speedup"] = {Hint::report_other_file};
    if (group == "kvbytes") expected["report.measured_bytes"] = {Hint::report_other_file};
    return expected;
}

struct Mutation {
    std::string name;
    std::function<void(Submission&)> apply;
    Findings failed;
    Findings noted = {};
};

// A mutation of one key of a JSON file.
Mutation key(const std::string& file, const std::string& name, const Json& value, Findings failed) {
    return {file + " " + name + "=" + value.dump(),
            [=](Submission& s) { edit(s, file, [&](Json& json) { json[name] = value; }); },
            std::move(failed)};
}

Mutation raw(const std::string& name, const std::string& file, const std::string& text, Findings failed,
             Findings noted = {}) {
    return {file + " " + name, [=](Submission& s) { text_of(s, file) = text; }, std::move(failed),
            std::move(noted)};
}

std::vector<Mutation> file_mutations() {
    std::vector<Mutation> list;
    for (const std::string_view name : artifact_names()) {
        const std::string file(name);
        list.push_back({file + " missing", [=](Submission& s) { s.files.erase(file); },
                        lost_file(file, Hint::file_missing)});
        for (const auto& [state, hint] :
             {std::pair{FileState::link, Hint::file_link}, std::pair{FileState::special, Hint::file_special},
              std::pair{FileState::too_large, Hint::file_too_large},
              std::pair{FileState::unreadable, Hint::file_unreadable}}) {
            list.push_back({file + " refused",
                            [=, state = state](Submission& s) {
                                s.files[file] = {state, ""};
                            },
                            lost_file(file, hint)});
        }
        list.push_back(raw("empty", file, "", lost_file(file, Hint::file_empty)));
        list.push_back(raw("not UTF-8", file, "{\"a\": \"\xC3(\"}", lost_file(file, Hint::text_not_utf8)));
    }
    return list;
}

std::vector<Mutation> json_mutations() {
    const std::string same = "same.json";
    const auto refused = [&](const std::string& name, const std::string& text, Hint hint) {
        return raw(name, same, text, lost_file(same, hint));
    };
    std::string utf16;
    for (const char c : std::string("\xFF\xFE{}")) utf16 += c;
    const std::string own = grading().own.files.at(same).text;
    std::string many = "{\"ids\": [0";
    for (int i = 0; i < 100001; ++i) many += ",0";
    return {
        refused("UTF-16", utf16, Hint::json_utf16),
        refused("UTF-16 without a mark", std::string("{\0}\0", 4), Hint::json_utf16),
        refused("NaN", "{\"ids\": NaN}", Hint::json_nan),
        refused("-Infinity", "{\"ids\": -Infinity}", Hint::json_nan),
        refused("overflow", "{\"ids\": 1e999}", Hint::json_number_too_large),
        refused("twice", "{\"ids\": [], \"ids\": []}", Hint::json_twice),
        refused("deep", std::string(100000, '['), Hint::json_too_deep),
        refused("deep objects", "{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}",
                Hint::json_too_deep),
        refused("many", many + "]}", Hint::json_too_many),
        refused("cut", own.substr(0, own.size() / 2), Hint::json_syntax),
        refused("python", "{'ids': [1]}", Hint::json_syntax),
        refused("two values", own + own, Hint::json_syntax),
        refused("array", "[1, 2]", Hint::json_not_object),
        refused("number", "7", Hint::json_not_object),
        raw("byte order mark", same, "\xEF\xBB\xBF" + own, {}, {{"same.file", {Hint::json_byte_order_mark}}}),
        {"extra key",
         [](Submission& s) { edit(s, "same.json", [](Json& j) { j["mine"] = 1; }); },
         {},
         {{"same.keys", {Hint::keys_extra}}}},
        {"key missing",
         [](Submission& s) { edit(s, "same.json", [](Json& j) { j.erase("ids"); }); },
         {{"same.keys", {Hint::keys_missing}}, {"same.ids", {Hint::needs_key}}}},
        key(same, "same_ids", "true",
            {{"same.keys", {Hint::keys_type}}, {"same.same_ids", {Hint::needs_key}}}),
        key(same, "same_ids", 1, {{"same.keys", {Hint::keys_type}}, {"same.same_ids", {Hint::needs_key}}}),
        key(same, "prompt_len", 201.0,
            {{"same.keys", {Hint::keys_type}}, {"same.prompt_len", {Hint::needs_key}}}),
        key(same, "prompt_len", nullptr,
            {{"same.keys", {Hint::keys_type}}, {"same.prompt_len", {Hint::needs_key}}}),
        key(same, "ids", Json::array({1, "2"}),
            {{"same.keys", {Hint::keys_type}}, {"same.ids", {Hint::needs_key}}}),
        key("count.json", "fed_with_cache", 18446744073709551615U,
            {{"count.keys", {Hint::keys_type}}, {"count.fed_with_cache", {Hint::needs_key}}}),
        key("temp.json", "1.0", 30,
            {{"temp.keys", {Hint::keys_type}}, {"temp.distinct_1.0", {Hint::needs_key}}}),
        key("topp.json", "0.9", "372",
            {{"topp.keys", {Hint::keys_type}}, {"topp.survivors_0.9", {Hint::needs_key}}}),
    };
}

std::vector<Mutation> same_mutations() {
    const std::string file = "same.json";
    const std::int64_t p = reference().prompt_len();
    const std::vector<TokenId>& ids = reference().ids;
    std::vector<TokenId> more = ids;
    more.push_back(5);
    std::vector<TokenId> less(ids.begin(), ids.end() - 1);
    std::vector<TokenId> whole = reference().prompt;
    whole.insert(whole.end(), ids.begin(), ids.end());
    std::vector<TokenId> eos(ids.begin(), ids.begin() + 9);
    eos.push_back(2);
    std::vector<TokenId> changed = ids;
    changed[40] += 1;
    std::vector<Mutation> list = {
        key(file, "prompt_len", p - 1, {{"same.prompt_len", {Hint::prompt_one_short}}}),
        key(file, "prompt_len", p + 1, {{"same.prompt_len", {Hint::prompt_one_long}}}),
        key(file, "prompt_len", 512, {{"same.prompt_len", {Hint::prompt_length}}}),
        key(file, "new_tokens", 65, {{"same.new_tokens", {Hint::steps_one_more}}}),
        key(file, "new_tokens", 63, {{"same.new_tokens", {Hint::steps_one_less}}}),
        key(file, "new_tokens", -1, {{"same.new_tokens", {Hint::steps_length}}}),
        key(file, "same_ids", false, {{"same.same_ids", {Hint::same_false}}}),
        key(file, "ids", more, {{"same.ids", {Hint::ids_one_step_more}}}),
        key(file, "ids", less, {{"same.ids", {Hint::ids_one_step_less}}}),
        key(file, "ids", whole, {{"same.ids", {Hint::ids_prompt_included}}}),
        key(file, "ids", changed, {{"same.ids", {Hint::ids_differ}}}),
        key(file, "ids", Json::array(), {{"same.ids", {Hint::ids_length}}}),
        key(file, "ids", std::vector<TokenId>(ids.begin(), ids.begin() + 10),
            {{"same.ids", {Hint::ids_length}}}),
        key(file, "ids", Json::array({std::int64_t{1} << 40}), {{"same.ids", {Hint::ids_differ}}}),
    };
    // What other prompts and models give; several mistakes may give the same ids, the first names them.
    std::vector<std::vector<TokenId>> seen;
    for (const auto& [hint, mistaken] : reference().mistaken_ids) {
        if (std::find(seen.begin(), seen.end(), mistaken) != seen.end()) continue;
        seen.push_back(mistaken);
        list.push_back(key(file, "ids", mistaken, {{"same.ids", {hint}}}));
    }
    return list;
}

std::vector<Mutation> count_mutations() {
    const std::string file = "count.json";
    const std::int64_t p = reference().prompt_len();
    const std::int64_t n = reference().new_tokens();
    const auto with = [&](std::int64_t value, Hint hint) {
        return key(file, "fed_with_cache", value, {{"count.fed_with_cache", {hint}}});
    };
    const auto without = [&](std::int64_t value, Hint hint) {
        return key(file, "fed_without_cache", value, {{"count.fed_without_cache", {hint}}});
    };
    const std::int64_t a = p + n - 1;
    const std::int64_t b = n * p + n * (n - 1) / 2;
    std::vector<Mutation> list = {
        key(file, "prompt_len", p - 1, {{"count.prompt_len", {Hint::prompt_one_short}}}),
        key(file, "new_tokens", n + 1, {{"count.new_tokens", {Hint::steps_one_more}}}),
        with(b, Hint::count_cache_off),
        with(n, Hint::count_steps_only),
        with(a + b, Hint::count_both_runs),
        with(4 * a, Hint::count_not_reset),
        with(0, Hint::count_differs),
        with(-5, Hint::count_differs),
        without(a, Hint::count_cache_on),
        without(n * (p - 1) + n * (n - 1) / 2, Hint::count_no_bos),
        without(n * (p + 1) + n * (n - 1) / 2 + 7, Hint::count_differs),
        without((n + 1) * p + (n + 1) * n / 2, Hint::count_one_step_more),
        without((n - 1) * p + (n - 1) * (n - 2) / 2, Hint::count_one_step_less),
        without(n * p, Hint::count_growth_forgotten),
        without(n, Hint::count_steps_only),
        without(3 * b, Hint::count_not_reset),
        {"count swapped",
         [=](Submission& s) {
             edit(s, "count.json", [&](Json& j) {
                 j["fed_with_cache"] = b;
                 j["fed_without_cache"] = a;
             });
         },
         {{"count.fed_with_cache", {Hint::count_swapped}},
          {"count.fed_without_cache", {Hint::count_swapped}}}},
        // Numbers that two slips explain name both.
        key(file, "fed_with_cache", a - 1,
            {{"count.fed_with_cache", {Hint::count_no_bos, Hint::count_one_step_less}}}),
        key(file, "fed_with_cache", a + 1,
            {{"count.fed_with_cache", {Hint::count_two_bos, Hint::count_one_step_more}}}),
        key(file, "fed_without_cache", b + n,
            {{"count.fed_without_cache", {Hint::count_two_bos, Hint::count_growth_off_by_one}}}),
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
              {{"time.speedup", {Hint::time_speedup_differs}}}),
        times(R"({"with_cache_s": 0.0500, "without_cache_s": 0.3100, "speedup": 0.1613})",
              {{"time.speedup", {Hint::time_speedup_inverted}}}),
        times(R"({"with_cache_s": 0.0500, "without_cache_s": 0.3100, "speedup": 56.363636363636364})",
              {{"time.speedup", {Hint::time_speedup_from_tokens}}}),
        times(R"({"with_cache_s": 0.0500, "without_cache_s": 0.3100, "speedup": -6.2})",
              {{"time.speedup", {Hint::time_speedup_differs}}}),
        times(R"({"with_cache_s": 0.3100, "without_cache_s": 0.0500, "speedup": 0.16129032})",
              {{"time.cache_faster", {Hint::time_cache_slower}}}),
        times(R"({"with_cache_s": 0.31, "without_cache_s": 0.31, "speedup": 1.0})",
              {{"time.cache_faster", {Hint::time_cache_slower}}}),
        times(R"({"with_cache_s": 0, "without_cache_s": 0.31, "speedup": 6.2})",
              {{"time.positive", {Hint::time_not_positive}},
               {"time.cache_faster", {Hint::time_not_positive}},
               {"time.speedup", {Hint::time_not_positive}}}),
        times(R"({"with_cache_s": -0.05, "without_cache_s": -0.31, "speedup": 6.2})",
              {{"time.positive", {Hint::time_not_positive}},
               {"time.cache_faster", {Hint::time_not_positive}},
               {"time.speedup", {Hint::time_not_positive}}}),
        times(R"({"with_cache_s": "0.05", "without_cache_s": 0.31, "speedup": 6.2})",
              {{"time.keys", {Hint::keys_type}},
               {"time.positive", {Hint::needs_key}},
               {"time.cache_faster", {Hint::needs_key}},
               {"time.speedup", {Hint::needs_key}}}),
    };
}

std::vector<Mutation> bytes_mutations() {
    const std::string file = "kvbytes.json";
    const KvBytesResult& kv = reference().kv_bytes;
    const auto right = static_cast<std::int64_t>(kv.formula_bytes());
    const auto measured = [&](std::int64_t value, std::vector<Hint> hints) {
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
        measured(right / g * h, {Hint::kv_after_repeat}),
        measured(right / 2, {Hint::kv_half}),
        measured(right / 4, {Hint::kv_elements}),
        measured(right / kv.num_hidden_layers, {Hint::kv_one_layer}),
        measured(right / 100 * 101, {Hint::kv_one_token_more}),
        measured(right + 1, {Hint::kv_differs}),
        measured(0, {Hint::kv_differs}),
        key(file, "formula_bytes", right / g * h, {{"kvbytes.formula_bytes", {Hint::kv_after_repeat}}}),
        key(file, "formula_bytes", right * 3, {{"kvbytes.formula_bytes", {Hint::kv_differs}}}),
        key(file, "tokens", 101, {{"kvbytes.tokens", {Hint::kv_tokens}}}),
        key(file, "k_shape", {1, 100, h, k}, {{"kvbytes.k_shape", {Hint::kv_shape_repeated}}}),
        key(file, "k_shape", {1, g, 100, k}, {{"kvbytes.k_shape", {Hint::kv_shape_transposed}}}),
        key(file, "k_shape", {1, h, 100, k}, {{"kvbytes.k_shape", {Hint::kv_shape_transposed}}}),
        key(file, "k_shape", {1, 100, g * k}, {{"kvbytes.k_shape", {Hint::kv_shape_flat}}}),
        key(file, "k_shape", Json::array(), {{"kvbytes.k_shape", {Hint::kv_shape_differs}}}),
        {"bytes not in the report",
         [=](Submission& s) {
             replace(text_of(s, "report.md"), std::to_string(right), "1" + std::to_string(right));
         },
         {{"report.measured_bytes", {Hint::report_number_missing}}}},
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
                     {{"temp.distinct_0.3", {Hint::temp_range}},
                      {"temp.distinct_1.0", {Hint::temp_range}},
                      {"temp.distinct_1.5", {Hint::temp_range}}}),
        temperatures(2, 25, 23, {{"temp.distinct_1.5", {Hint::temp_decreasing}}},
                     {{"temp.distinct_0.3", {Hint::temp_other_random}},
                      {"temp.distinct_1.0", {Hint::temp_other_random}}}),
        temperatures(2, 3, 4, {},
                     {{"temp.distinct_0.3", {Hint::temp_other_random}},
                      {"temp.distinct_1.0", {Hint::temp_other_random}},
                      {"temp.distinct_1.5", {Hint::temp_other_random}}}),
    };
    for (const Triple& right : reference().distinct)
        list.push_back(temperatures(right[0], right[1], right[2], {}));
    const char* const kTemperatures[] = {"0.3", "1.0", "1.5"};
    for (const auto& [hint, wrong] : reference().mistaken_distinct) {
        // Mistakes with the same counts are told together.
        std::vector<Hint> hints;
        for (const auto& [other, counts] : reference().mistaken_distinct) {
            if (counts == wrong && std::find(hints.begin(), hints.end(), other) == hints.end())
                hints.push_back(other);
        }
        Findings failed;
        for (std::size_t i = 0; i < 3; ++i) {
            const bool right = std::any_of(reference().distinct.begin(), reference().distinct.end(),
                                           [&, at = i](const Triple& t) { return t[at] == wrong[at]; });
            if (!right) failed["temp.distinct_" + std::string(kTemperatures[i])] = hints;
        }
        list.push_back(temperatures(wrong[0], wrong[1], wrong[2], std::move(failed)));
    }
    const char* const kThresholds[] = {"0.5", "0.9", "0.99"};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string id = "topp.survivors_" + std::string(kThresholds[i]);
        list.push_back(key("topp.json", kThresholds[i], 100000, {{id, {Hint::topp_differs}}}));
        list.push_back(key("topp.json", kThresholds[i], 0, {{id, {Hint::topp_differs}}}));
        for (const auto& [hint, wrong] : reference().mistaken_survivors) {
            std::vector<Hint> hints;
            for (const auto& [other, counts] : reference().mistaken_survivors) {
                if (counts[i] == wrong[i]) hints.push_back(other);
            }
            const bool right = wrong[i] >= reference().fewest[i] && wrong[i] <= reference().most[i];
            if (!right) list.push_back(key("topp.json", kThresholds[i], wrong[i], {{id, hints}}));
        }
    }
    return list;
}

std::vector<Mutation> text_mutations() {
    const auto report = [](const std::string& from, const std::string& to, Findings failed) {
        return Mutation{"report.md " + from + " → " + to,
                        [=](Submission& s) { replace(text_of(s, "report.md"), from, to); },
                        std::move(failed)};
    };
    const auto cache = [](const std::string& text, std::vector<Hint> hints) {
        return raw("code", "cache.py", text,
                   hints.empty() ? Findings{} : Findings{{"cache.both_ways", std::move(hints)}});
    };
    const std::string speedup = parse_json(grading().own.files.at("time.json").text, "")["speedup"].dump();
    const std::string bytes = std::to_string(reference().kv_bytes.measured_bytes);
    const std::string grouped = bytes.substr(0, bytes.size() - 3) + "," + bytes.substr(bytes.size() - 3);
    const Findings no_heading = {{"report.headings", {Hint::report_headings}}};
    return {
        report("## KV 캐시", "## KV캐시", no_heading),
        report("## 온도", "# 온도", no_heading),
        report("## top-p", "### top-p", no_heading),
        report("## top-p", "## Top-p", no_heading),
        report("## top-p", "## top-p  \r", {}),
        {"headings in code",
         [](Submission& s) {
             std::string& text = text_of(s, "report.md");
             text = "```\n" + text + "\n```\n";
         },
         no_heading},
        report(bytes, grouped, {{"report.measured_bytes", {Hint::report_number_grouped}}}),
        // The lab's report has the factor in fewer digits beside the quoted one: that is what is found then.
        report(speedup, "6", {{"report.speedup", {Hint::report_number_rounded}}}),
        report(speedup, speedup + "5", {{"report.speedup", {Hint::report_number_rounded}}}),
        report(speedup, "1" + speedup, {{"report.speedup", {Hint::report_number_rounded}}}),
        raw("numbers nowhere", "report.md", "## KV 캐시\n## 온도\n## top-p\n6.3.1, x6.5\n",
            {{"report.speedup", {Hint::report_number_missing}},
             {"report.measured_bytes", {Hint::report_number_missing}}}),
        cache("m.generate(x, use_cache=True)\nm.generate(x, use_cache=False)\n", {}),
        cache("for c in (True, False):\n    m.generate(x, use_cache = c)\n", {}),
        cache("m.generate(x)\nm.generate(x, use_cache=False)\n", {}),
        cache("m.generate(x, **{'use_cache': True})\nm.generate(x, **{\"use_cache\": False})\n", {}),
        cache("m.generate(x, use_cache=True)\n", {Hint::cache_one_way}),
        cache("m.generate(x, use_cache=False)\n", {Hint::cache_one_way}),
        cache("m.generate(x, use_cache=True)  # and use_cache=False\n", {Hint::cache_one_way}),
        cache("'''m.generate(use_cache=True) m.generate(use_cache=False)'''\n", {Hint::cache_no_generate}),
        cache("def generate(x):\n    return x\n", {Hint::cache_no_generate}),
        cache("print('\\'", {Hint::cache_no_generate}),
        cache("\"\"\"", {Hint::cache_no_generate}),
    };
}

std::vector<Mutation> folder_mutations() {
    std::vector<Mutation> list = {{"interrupted",
                                   [](Submission& s) { s.interrupted = true; },
                                   {{"folder", {Hint::folder_interrupted}}}}};
    for (const auto& [state, hint] :
         {std::pair{FileState::missing, Hint::folder_missing}, std::pair{FileState::link, Hint::folder_link},
          std::pair{FileState::special, Hint::folder_special},
          std::pair{FileState::unreadable, Hint::folder_unreadable}}) {
        Findings all{{"folder", {hint}}};
        for (const std::string_view name : artifact_names()) {
            for (auto& [id, hints] : lost_file(std::string(name), Hint::file_missing)) all[id] = hints;
        }
        all["report.speedup"] = all["report.measured_bytes"] = {Hint::needs_file};
        list.push_back({"folder", [state = state](Submission& s) { s.folder = state; }, all});
    }
    return list;
}

// Every sentence is there in every language, filled in, and a different one in each.
void expect_three_languages(const CheckResult& check) {
    for (const Feedback feedback : {Feedback::hint, Feedback::full}) {
        std::vector<std::string> texts;
        for (const Language language : {Language::ko, Language::zh, Language::en}) {
            const std::string text =
                hint_text(check, {.language = language, .feedback = feedback, .ref = "", .rng = ""});
            EXPECT_FALSE(text.empty()) << check.id;
            for (const std::string& other : texts) EXPECT_NE(text, other) << check.id;
            texts.push_back(text);
            for (const Finding& finding : check.findings) {
                EXPECT_NE(text.find(finding_text(finding, language, feedback == Feedback::full)),
                          std::string::npos);
                for (const auto& [name, value] : finding.values) {
                    EXPECT_EQ(text.find("{" + std::string(name) + "}"), std::string::npos) << text;
                    const bool used = sentence(finding.hint, language).find("{" + std::string(name) + "}") !=
                                      std::string_view::npos;
                    if (used) {
                        EXPECT_NE(text.find(value), std::string::npos) << text;
                    }
                }
            }
        }
    }
    EXPECT_EQ(hint_text(check, {.language = Language::en, .feedback = Feedback::none, .ref = "", .rng = ""}),
              "");
}

TEST(Grade, MutatedSubmissions) {
    std::size_t count = 0;
    for (const auto& make :
         {folder_mutations, file_mutations, json_mutations, same_mutations, count_mutations, time_mutations,
          bytes_mutations, sampling_mutations, text_mutations}) {
        for (const Mutation& mutation : make()) {
            SCOPED_TRACE(mutation.name.substr(0, 200));
            Submission submission = grading().own;
            mutation.apply(submission);
            const Grade found = grading().judge(submission);
            EXPECT_EQ(failures(found), mutation.failed);
            EXPECT_EQ(notes(found), mutation.noted);
            EXPECT_EQ(found.full(), mutation.failed.empty());
            double points = 0;
            for (const CheckResult& check : found.checks) {
                points += mutation.failed.contains(std::string(check.id)) ? 0 : check.max;
                if (!check.findings.empty()) expect_three_languages(check);
            }
            EXPECT_DOUBLE_EQ(found.score(), points);
            ++count;
        }
    }
    EXPECT_GE(count, 150U);
}

TEST(Grade, TheLabsOwnOutputScoresFull) {
    const Grade found = grading().judge(grading().own);
    EXPECT_EQ(failures(found), Findings{});
    EXPECT_EQ(notes(found), Findings{});
    EXPECT_EQ(found.score(), 100);
    EXPECT_EQ(found.max(), 100);
    EXPECT_TRUE(found.full());
}

TEST(Grade, MiniMindsOwnPyTorchResultsScoreFull) {
    // What MiniMind's code gave on PyTorch, for these checkpoints (expected.json).
    Submission submission = grading().own;
    for (const auto& [name, text] : grading().lab.expected.at("artifacts").items()) {
        text_of(submission, name) = text.get<std::string>();
    }
    EXPECT_EQ(failures(grading().judge(submission)), Findings{});
    EXPECT_EQ(notes(grading().judge(submission)), Findings{});
}

TEST(Grade, NothingAtAllScoresNothing) {
    Submission empty;
    empty.name = "empty";
    const Grade found = grading().judge(empty);
    EXPECT_EQ(found.score(), 0);
    EXPECT_EQ(found.max(), 100);
}

// What MiniMind's own code on PyTorch gives for each mistake (mistakes.json). Those that do not show in the
// numbers are none that numbers can tell.
template <typename Value>
void expect_mistakes(const Json& golden, const std::vector<Value>& right,
                     const std::vector<std::pair<Hint, Value>>& found) {
    for (const auto& [code, json] : golden.items()) {
        const Value expected = json.template get<Value>();
        const bool hidden = std::find(right.begin(), right.end(), expected) != right.end();
        const bool listed = std::any_of(found.begin(), found.end(), [&, name = code](const auto& mistake) {
            return code_of(mistake.first) == name && mistake.second == expected;
        });
        EXPECT_NE(listed, hidden) << code;
    }
}

TEST(Reference, MistakesAreMiniMindsOwn) {
    const Json golden = Json::parse(test::read_text(test::kLabGolden / "mistakes.json"));
    expect_mistakes<std::vector<TokenId>>(golden["ids"], {reference().ids}, reference().mistaken_ids);
    expect_mistakes<Triple>(golden["distinct"], reference().distinct, reference().mistaken_distinct);
    expect_mistakes<Triple>(golden["survivors"], {reference().survivors}, reference().mistaken_survivors);
    EXPECT_EQ(reference().distinct.size(), sampling_rng_streams().size());
    EXPECT_EQ(reference().distinct.front(), (Triple{12, 30, 30}));
}

TEST(Hints, CompleteInThreeLanguages) {
    std::vector<std::string_view> codes;
    const auto placeholders = [](std::string_view text) {
        std::vector<std::string> names;
        for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
            names.emplace_back(text.substr(at, text.find('}', at) - at + 1));
        }
        std::sort(names.begin(), names.end());
        return names;
    };
    const auto holds = [](std::string_view text, char32_t first, char32_t last) {
        for (std::size_t at = 0; at < text.size();) {
            const char32_t c = next_code_point(text, at);
            if (c >= first && c <= last) return true;
        }
        return false;
    };
    for (int i = 0; i < static_cast<int>(Hint::count_); ++i) {
        const auto hint = static_cast<Hint>(i);
        SCOPED_TRACE(code_of(hint));
        EXPECT_EQ(std::count(codes.begin(), codes.end(), code_of(hint)), 0) << "codes are unique";
        codes.push_back(code_of(hint));
        const std::string_view ko = sentence(hint, Language::ko);
        const std::string_view zh = sentence(hint, Language::zh);
        const std::string_view en = sentence(hint, Language::en);
        EXPECT_TRUE(holds(ko, 0xAC00, 0xD7A3)) << ko;
        EXPECT_TRUE(holds(zh, 0x4E00, 0x9FFF)) << zh;
        EXPECT_TRUE(holds(en, 'a', 'z')) << en;
        EXPECT_EQ(placeholders(ko), placeholders(en));
        EXPECT_EQ(placeholders(zh), placeholders(en));
    }
    for (const CheckDefinition& check : check_list()) {
        EXPECT_TRUE(holds(check.title(Language::ko), 0xAC00, 0xD7A3) || check.id == "time.speedup");
        EXPECT_TRUE(holds(check.title(Language::zh), 0x4E00, 0x9FFF));
        EXPECT_TRUE(holds(check.title(Language::en), 'a', 'z'));
    }
}

}  // namespace
}  // namespace mm
