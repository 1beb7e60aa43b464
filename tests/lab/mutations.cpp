#include "mutations.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/lab/json_text.hpp"

namespace mm::test {
namespace {

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
                    const bool used = finding.hint.sentence(language).find("{" + std::string(name) + "}") !=
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

}  // namespace

const Grading& grading() {
    return Grading::instance();
}

const SameReference& same_reference() {
    return grading().reference.get<SameReference>();
}
const KvBytesReference& kv_bytes_reference() {
    return grading().reference.get<KvBytesReference>();
}
const TemperatureReference& temperature_reference() {
    return grading().reference.get<TemperatureReference>();
}
const TopPReference& top_p_reference() {
    return grading().reference.get<TopPReference>();
}

Findings failures(const Grade& grade) {
    Findings found;
    for (const CheckResult& check : grade.checks) {
        if (check.ok) continue;
        auto& hints = found[std::string(check.id)];
        for (const Finding& finding : check.findings) hints.emplace_back(finding.hint.code);
    }
    return found;
}

Findings notes(const Grade& grade) {
    Findings found;
    for (const CheckResult& check : grade.checks) {
        if (!check.ok) continue;
        for (const Finding& finding : check.findings)
            found[std::string(check.id)].emplace_back(finding.hint.code);
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

Findings lost_file(const std::string& file, const std::string& reason) {
    const std::string group = file.substr(0, file.find('.'));
    Findings expected;
    for (const CheckDefinition& check : check_list()) {
        if (check.group() == group) expected[check.id] = {"needs.file"};
    }
    expected[group + ".file"] = {reason};
    if (group == "time") expected["report.speedup"] = {"report.other_file"};
    if (group == "kvbytes") expected["report.measured_bytes"] = {"report.other_file"};
    return expected;
}

Mutation key(const std::string& file, const std::string& name, const Json& value, Findings failed) {
    return {file + " " + name + "=" + value.dump(),
            [=](Submission& s) { edit(s, file, [&](Json& json) { json[name] = value; }); },
            std::move(failed)};
}

Mutation raw(const std::string& name, const std::string& file, const std::string& text, Findings failed,
             Findings noted) {
    return {file + " " + name, [=](Submission& s) { text_of(s, file) = text; }, std::move(failed),
            std::move(noted)};
}

void expect_judged(const std::vector<Mutation>& mutations) {
    for (const Mutation& mutation : mutations) {
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
    }
}

}  // namespace mm::test
