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
                        lost_file(file, "file.missing")});
        for (const auto& [state, hint] :
             {std::pair{FileState::link, "file.link"}, std::pair{FileState::special, "file.special"},
              std::pair{FileState::too_large, "file.too_large"},
              std::pair{FileState::unreadable, "file.unreadable"}}) {
            list.push_back({file + " refused",
                            [=, state = state](Submission& s) {
                                s.files[file] = {state, ""};
                            },
                            lost_file(file, hint)});
        }
        list.push_back(raw("empty", file, "", lost_file(file, "file.empty")));
        list.push_back(raw("not UTF-8", file, "{\"a\": \"\xC3(\"}", lost_file(file, "text.not_utf8")));
    }
    return list;
}

std::vector<Mutation> json_mutations() {
    const std::string same = "same.json";
    const auto refused = [&](const std::string& name, const std::string& text, const std::string& hint) {
        return raw(name, same, text, lost_file(same, hint));
    };
    std::string utf16;
    for (const char c : std::string("\xFF\xFE{}")) utf16 += c;
    const std::string own = grading().own.files.at(same).text;
    std::string many = "{\"ids\": [0";
    for (int i = 0; i < 100001; ++i) many += ",0";
    return {
        refused("UTF-16", utf16, "json.utf16"),
        refused("UTF-16 without a mark", std::string("{\0}\0", 4), "json.utf16"),
        refused("NaN", "{\"ids\": NaN}", "json.nan"),
        refused("-Infinity", "{\"ids\": -Infinity}", "json.nan"),
        refused("overflow", "{\"ids\": 1e999}", "json.number_too_large"),
        refused("twice", "{\"ids\": [], \"ids\": []}", "json.duplicate_key"),
        refused("deep", std::string(100000, '['), "json.too_deep"),
        refused("deep objects", "{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}",
                "json.too_deep"),
        refused("many", many + "]}", "json.too_many_values"),
        refused("cut", own.substr(0, own.size() / 2), "json.syntax"),
        refused("python", "{'ids': [1]}", "json.syntax"),
        refused("two values", own + own, "json.syntax"),
        refused("array", "[1, 2]", "json.not_object"),
        refused("number", "7", "json.not_object"),
        raw("byte order mark", same, "\xEF\xBB\xBF" + own, {}, {{"same.file", {"json.byte_order_mark"}}}),
        {"extra key",
         [](Submission& s) { edit(s, "same.json", [](Json& j) { j["mine"] = 1; }); },
         {},
         {{"same.keys", {"keys.extra"}}}},
        {"key missing",
         [](Submission& s) { edit(s, "same.json", [](Json& j) { j.erase("ids"); }); },
         {{"same.keys", {"keys.missing"}}, {"same.ids", {"needs.key"}}}},
        key(same, "same_ids", "true", {{"same.keys", {"keys.type"}}, {"same.same_ids", {"needs.key"}}}),
        key(same, "same_ids", 1, {{"same.keys", {"keys.type"}}, {"same.same_ids", {"needs.key"}}}),
        key(same, "prompt_len", 201.0, {{"same.keys", {"keys.type"}}, {"same.prompt_len", {"needs.key"}}}),
        key(same, "prompt_len", nullptr, {{"same.keys", {"keys.type"}}, {"same.prompt_len", {"needs.key"}}}),
        key(same, "ids", Json::array({1, "2"}), {{"same.keys", {"keys.type"}}, {"same.ids", {"needs.key"}}}),
        key("count.json", "fed_with_cache", 18446744073709551615U,
            {{"count.keys", {"keys.type"}}, {"count.fed_with_cache", {"needs.key"}}}),
        key("temp.json", "1.0", 30, {{"temp.keys", {"keys.type"}}, {"temp.distinct_1.0", {"needs.key"}}}),
        key("topp.json", "0.9", "372", {{"topp.keys", {"keys.type"}}, {"topp.survivors_0.9", {"needs.key"}}}),
    };
}

std::vector<Mutation> folder_mutations() {
    std::vector<Mutation> list = {
        {"interrupted", [](Submission& s) { s.interrupted = true; }, {{"folder", {"folder.interrupted"}}}}};
    for (const auto& [state, hint] :
         {std::pair{FileState::missing, "folder.missing"}, std::pair{FileState::link, "folder.link"},
          std::pair{FileState::special, "folder.not_a_folder"},
          std::pair{FileState::unreadable, "folder.unreadable"}}) {
        Findings all{{"folder", {hint}}};
        for (const std::string_view name : artifact_names()) {
            for (auto& [id, hints] : lost_file(std::string(name), "file.missing")) all[id] = hints;
        }
        all["report.speedup"] = all["report.measured_bytes"] = {"needs.file"};
        list.push_back({"folder", [state = state](Submission& s) { s.folder = state; }, all});
    }
    return list;
}

// A file under a name that only spells its own otherwise is named; one that is something else is not.
TEST(MutatedSubmissions, NearNames) {
    std::vector<Mutation> list;
    const auto missing = [&](const std::string& file, const std::string& other, const std::string& hint) {
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
        missing("report.md", other, "file.other_name");
    }
    missing("same.json", "same.json.txt", "file.other_name");
    missing("time.json", "time (1).json", "file.other_name");
    missing("count.json", "infer\\count.json", "file.other_name");
    missing("topp.json", "top-p.json", "file.other_name");
    missing("temp.json", "temp.JSON1", "file.other_name");
    for (const char* other : {"count.py", "._count.json", "account.json", "counts.json", "\xB1\xE8", ""}) {
        missing("count.json", other, "file.missing");
    }
    expect_judged(list);
}

TEST(MutatedSubmissions, FoldersInside) {
    Findings nothing{{"folder", {"folder.several"}}};
    for (const std::string_view name : artifact_names()) {
        for (auto& [id, hints] : lost_file(std::string(name), "file.missing")) nothing[id] = hints;
    }
    nothing["report.speedup"] = nothing["report.measured_bytes"] = {"needs.file"};
    expect_judged({{"one", [](Submission& s) { s.below = "infer"; }, {}, {{"folder", {"folder.below"}}}},
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
