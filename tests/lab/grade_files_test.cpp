// Mutated submissions: folders, files and JSON that are missing, hostile or broken.
#include <gtest/gtest.h>

#include "mutations.hpp"

namespace mm {
namespace {

using namespace test;

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

// A file under a name that only spells its own otherwise is named; one that is something else is not.
TEST(MutatedSubmissions, NearNames) {
    std::vector<Mutation> list;
    const auto missing = [&](const std::string& file, const std::string& other, Hint hint) {
        list.push_back({file + " as " + other,
                        [=](Submission& s) {
                            s.files.erase(file);
                            s.others = {".DS_Store", other};
                        },
                        lost_file(file, hint)});
    };
    for (const char* other :
         {"Report.md", "report.md.txt", "REPORT.MD", "report", "report.txt", "report (2).md", "report.md ",
          "ｒｅｐｏｒｔ.md", "report - Copy.md", "report - 복사본.md", "infer\\report.md",
          "report\xE2\x80\x8B.md", "report.markdown", "report_1.md"}) {
        missing("report.md", other, Hint::file_other_name);
    }
    missing("same.json", "same.json.txt", Hint::file_other_name);
    missing("time.json", "time (1).json", Hint::file_other_name);
    missing("count.json", "infer\\count.json", Hint::file_other_name);
    missing("topp.json", "top-p.json", Hint::file_other_name);
    missing("temp.json", "temp.JSON1", Hint::file_other_name);
    for (const char* other : {"count.py", "._count.json", "account.json", "counts.json", "\xB1\xE8", ""}) {
        missing("count.json", other, Hint::file_missing);
    }
    expect_judged(list);
}

TEST(MutatedSubmissions, FoldersInside) {
    Findings nothing{{"folder", {Hint::folder_several}}};
    for (const std::string_view name : artifact_names()) {
        for (auto& [id, hints] : lost_file(std::string(name), Hint::file_missing)) nothing[id] = hints;
    }
    nothing["report.speedup"] = nothing["report.measured_bytes"] = {Hint::needs_file};
    expect_judged({{"one", [](Submission& s) { s.below = "infer"; }, {}, {{"folder", {Hint::folder_below}}}},
                   {"two",
                    [](Submission& s) {
                        s.files.clear();
                        s.several = {"a", "b"};
                    },
                    nothing}});
}

TEST(MutatedSubmissions, Folders) {
    expect_judged(folder_mutations());
}

TEST(MutatedSubmissions, Files) {
    expect_judged(file_mutations());
}

TEST(MutatedSubmissions, Json) {
    expect_judged(json_mutations());
}

}  // namespace
}  // namespace mm
