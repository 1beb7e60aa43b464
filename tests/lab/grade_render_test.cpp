// How grades read in each format; what students can put into them.
#include <gtest/gtest.h>

#include "grading.hpp"

namespace mm {
namespace {

using test::Grading;

Grade own_grade() {
    return Grading::instance().judge(Grading::instance().own);
}

// One check failed with an extra finding, and a name that every format must escape.
Grade hostile_grade() {
    Submission submission = Grading::instance().own;
    submission.name = "=<a&\"b\",\x01\xFF\n'>]]>";
    submission.files.at("count.json").text =
        R"({"prompt_len": 201, "new_tokens": 64, "fed_with_cache": 265, "fed_without_cache": 14880, "<&\n": 1})";
    return Grading::instance().judge(submission);
}

// What a check, or a group of checks, is worth.
double worth(std::string_view name) {
    const Points points = default_points();
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const CheckDefinition& check = check_list()[i];
        if (check.id == name || check.group() == name) sum += points[i];
    }
    return sum;
}

RenderOptions options(Language language = Language::en, Feedback feedback = Feedback::hint) {
    return {.language = language, .feedback = feedback, .ref = "demo", .rng = "torch"};
}

const Json& check_of(const Json& submission, std::string_view id) {
    for (const Json& check : submission.at("checks")) {
        if (check.at("id") == id) return check;
    }
    throw std::runtime_error("no such check");
}

TEST(GradeJson, KeysAndFeedbackLevels) {
    const std::vector<Grade> grades = {own_grade(), hostile_grade()};
    const Json json = parse_json(grades_json(grades, options()), "output");
    EXPECT_EQ(json.size(), 4U);
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["ref"], "demo");
    EXPECT_EQ(json["rng"], "torch");
    ASSERT_EQ(json["submissions"].size(), 2U);
    const Json& own = json["submissions"][0];
    EXPECT_EQ(own.size(), 4U);
    EXPECT_EQ(own["dir"], "own");
    EXPECT_EQ(own["score"], 100);
    EXPECT_EQ(own["max"], 100);
    EXPECT_EQ(own["checks"].size(), check_list().size());
    for (const Json& check : own["checks"]) {
        EXPECT_EQ(check.size(), 5U);
        EXPECT_EQ(check["ok"], true);
        EXPECT_EQ(check["points"], check["max"]);
        EXPECT_TRUE(check["hint"].is_null());
    }
    const Json& other = json["submissions"][1];
    EXPECT_DOUBLE_EQ(other["score"].get<double>(), 100 - worth("count.fed_with_cache"));
    const Json& failed = check_of(other, "count.fed_with_cache");
    EXPECT_EQ(failed["ok"], false);
    EXPECT_EQ(failed["points"], 0);
    EXPECT_EQ(failed["max"].get<double>(), worth("count.fed_with_cache"));

    const auto hint_at = [&](Feedback feedback) {
        const Json at = parse_json(grades_json(grades, options(Language::en, feedback)), "output");
        return check_of(at["submissions"][1], "count.fed_with_cache")["hint"];
    };
    EXPECT_TRUE(hint_at(Feedback::none).is_null());
    EXPECT_EQ(hint_at(Feedback::hint).get<std::string>().find("264"), std::string::npos)
        << "no reference value";
    EXPECT_NE(hint_at(Feedback::full).get<std::string>().find("(expected 264, found 265)"),
              std::string::npos);
}

TEST(GradeJson, HintsHoldNoValueOfTheReference) {
    // Every wrong answer at once: what a student reads must not be the answers.
    Submission wrong = Grading::instance().own;
    const GradeReference& reference = Grading::instance().reference;
    const SurvivorCounts& survivors = reference.get<TopPReference>().survivors;
    wrong.files.at("count.json").text =
        R"({"prompt_len": 7, "new_tokens": 7, "fed_with_cache": 7, "fed_without_cache": 7})";
    wrong.files.at("kvbytes.json").text =
        R"({"tokens": 7, "measured_bytes": 7, "formula_bytes": 7, "k_shape": [7]})";
    wrong.files.at("topp.json").text = R"({"0.5": 7, "0.9": 7, "0.99": 7})";
    wrong.files.at("temp.json").text =
        R"({"0.3": {"distinct": 77}, "1.0": {"distinct": 77}, "1.5": {"distinct": 77}})";
    const std::vector<Grade> grades = {Grading::instance().judge(wrong)};
    for (const Language language : {Language::ko, Language::zh, Language::en}) {
        for (const CheckResult& check : grades.front().checks) {
            const std::string text = hint_text(check, options(language));
            for (const std::int64_t secret :
                 {static_cast<std::int64_t>(reference.get<KvBytesReference>().kv_bytes.formula_bytes()),
                  std::int64_t{264}, std::int64_t{14880}, survivors[1], survivors[2]}) {
                EXPECT_EQ(text.find(std::to_string(secret)), std::string::npos) << text;
            }
        }
    }
}

TEST(GradeCsv, OneRowEachAndNoFormulas) {
    const std::vector<Grade> grades = {own_grade(), hostile_grade()};
    const std::string text = grades_csv(grades);
    EXPECT_TRUE(text.starts_with("dir,score,max,folder,cache.file,cache.both_ways,same.file,"));
    std::string own = "\r\nown,100,100";
    for (const double points : default_points()) own += "," + points_text(points);
    EXPECT_NE(text.find(own + "\r\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\r\n\"'=<a&\"\"b\"\","), std::string::npos) << text;
}

TEST(GradeGradescope, DocumentedFields) {
    const Json json = parse_json(grades_gradescope(hostile_grade(), options()), "results.json");
    const double expected = 100 - worth("count.fed_with_cache");
    EXPECT_DOUBLE_EQ(json["score"].get<double>(), expected);
    EXPECT_EQ(json["visibility"], "visible");
    EXPECT_EQ(json["stdout_visibility"], "hidden");
    double score = 0;
    double max = 0;
    for (const Json& test : json["tests"]) {
        score += test["score"].get<double>();
        max += test["max_score"].get<double>();
        EXPECT_EQ(test["status"], test["score"] == test["max_score"] ? "passed" : "failed") << test.dump();
        EXPECT_TRUE(test["name"].is_string() && test["output"].is_string() && test["number"].is_string());
        EXPECT_EQ(test["output_format"], "text") << "students' texts are never read as HTML";
    }
    EXPECT_NEAR(score, expected, 1e-9);
    EXPECT_NEAR(max, 100, 1e-9);
}

// The autograder documentation's lists: a key or a word it does not know is ignored there, or an error.
TEST(GradeGradescope, NothingThatIsNotDocumented) {
    using Names = std::vector<std::string>;
    const Names top = {"score",
                       "execution_time",
                       "output",
                       "output_format",
                       "visibility",
                       "test_output_format",
                       "test_name_format",
                       "stdout_visibility",
                       "extra_data",
                       "tests",
                       "leaderboard"};
    const Names test = {"score",  "max_score",     "status", "name",       "name_format", "number",
                        "output", "output_format", "tags",   "visibility", "extra_data"};
    const auto among = [](const Names& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const Names formats = {"text", "html", "simple_format", "md", "ansi"};
    const Names visibilities = {"hidden", "after_due_date", "after_published", "visible"};
    const Json json = parse_json(grades_gradescope(hostile_grade(), options()), "results.json");
    const auto check = [&](const Json& object, const Names& names) {
        for (const auto& [key, value] : object.items()) {
            EXPECT_TRUE(among(names, key)) << key;
            if (key.ends_with("output_format")) {
                EXPECT_TRUE(among(formats, value));
            }
            if (key.ends_with("visibility")) {
                EXPECT_TRUE(among(visibilities, value));
            }
            if (key.ends_with("score")) {
                EXPECT_TRUE(value.is_number()) << key;
            }
        }
    };
    check(json, top);
    ASSERT_FALSE(json["tests"].empty());
    for (const Json& one : json["tests"]) {
        check(one, test);
        EXPECT_TRUE(one["tags"].is_array());
    }
}

TEST(GradeJunit, CountsAndEscapes) {
    const std::vector<Grade> grades = {own_grade(), hostile_grade()};
    const std::string text = grades_junit(grades, options());
    const std::string all = std::to_string(2 * check_list().size());
    EXPECT_NE(
        text.find("<testsuites name=\"MiniMind Lab\" tests=\"" + all + "\" failures=\"1\" errors=\"0\">"),
        std::string::npos)
        << text.substr(0, 300);
    EXPECT_NE(text.find("name=\"=&lt;a&amp;&quot;b&quot;,\\u{0001}\\xff\\u{000A}'&gt;]]&gt;\""),
              std::string::npos);
    EXPECT_NE(text.find("<failure type=\"count.two_bos\""), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\x01'), 0);
}

TEST(GradeText, OneInFullAndAClassInLines) {
    const std::vector<Grade> one = {hostile_grade()};
    const std::string full = grades_text(one, options());
    EXPECT_NE(full.find("✗ count.fed_with_cache"), std::string::npos) << full;
    EXPECT_NE(full.find("      → This is the count for a prompt one token too long"), std::string::npos)
        << full;
    EXPECT_EQ(full.find('\x01'), std::string::npos);
    const std::vector<Grade> both = {own_grade(), hostile_grade()};
    const std::string list = grades_text(both, options());
    const double lost = worth("count.fed_with_cache");
    EXPECT_TRUE(list.starts_with("✓ ")) << list;
    EXPECT_NE(list.find("\n✗ "), std::string::npos) << list;
    EXPECT_NE(list.find(" " + points_text(100 - lost) + "/100  =<a"), std::string::npos) << list;
    EXPECT_NE(list.find("Summary: 2 submissions, full 1, mean " + points_text(100 - lost / 2) + " / 100"),
              std::string::npos)
        << list;
    EXPECT_EQ(grades_text(both, options()), list) << "deterministic";
}

// A new check takes its part from all others: nobody's share has to be changed by hand.
TEST(Weights, SharesMakeAHundredPoints) {
    double shares = 0;
    double points = 0;
    for (const CheckDefinition& check : check_list()) shares += check.share;
    for (std::size_t i = 0; i < check_list().size(); ++i) {
        const double of_check = default_points()[i];
        EXPECT_DOUBLE_EQ(of_check * shares, 100 * check_list()[i].share) << check_list()[i].id;
        points += of_check;
    }
    EXPECT_NEAR(points, 100, 1e-9);
}

TEST(Weights, IdsGroupsAndRefusals) {
    const auto points_of = [](const Points& points, std::string_view id) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (check_list()[i].id == id) return points[i];
        }
        return -1.0;
    };
    const Points points = parse_weights(R"({"same.ids": 10, "temp": 28, "cache": 0})", "w.json");
    EXPECT_EQ(points_of(points, "same.ids"), 10);
    EXPECT_EQ(points_of(points, "same.file"), worth("same.file"));
    EXPECT_EQ(points_of(points, "temp.distinct_0.3"), 8);
    EXPECT_EQ(points_of(points, "temp.file"), 2);
    EXPECT_EQ(points_of(points, "cache.both_ways"), 0);
    const Grade weighted = Grading::instance().judge(Grading::instance().own, points);
    EXPECT_EQ(weighted.score(), weighted.max());
    EXPECT_NEAR(weighted.max(), 100 - worth("same.ids") - worth("temp") - worth("cache") + 10 + 28, 1e-6);
    for (const char* bad :
         {"[]", "7", "{", R"({"same.idz": 1})", R"({"same.ids": -1})", R"({"same.ids": "3"})",
          R"({"same.ids": 1e9})", R"({"temp": 3, "temp.file": 1})", R"({"x": 1})"}) {
        try {
            parse_weights(bad, "w.json");
            ADD_FAILURE() << bad;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::format) << bad;
            EXPECT_TRUE(std::string_view(error.what()).starts_with("w.json")) << error.what();
        }
    }
}

}  // namespace
}  // namespace mm
