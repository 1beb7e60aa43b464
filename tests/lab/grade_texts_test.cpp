// Mutated submissions: report.md.
#include <gtest/gtest.h>

#include "core/text/huggingface/normalization.hpp"
#include "mutations.hpp"

namespace mm {
namespace {

using namespace test;

std::vector<Mutation> text_mutations() {
    const auto report = [](const std::string& from, const std::string& to, Findings failed) {
        return Mutation{"report.md " + from + " → " + to,
                        [=](Submission& s) { replace(text_of(s, "report.md"), from, to); },
                        std::move(failed)};
    };
    const std::string speedup = parse_json(grading().own.files.at("time.json").text, "")["speedup"].dump();
    const std::string bytes = std::to_string(kv_bytes_reference().kv_bytes.measured_bytes);
    const std::string grouped = bytes.substr(0, bytes.size() - 3) + "," + bytes.substr(bytes.size() - 3);
    const Findings no_heading = {{"report.headings", {"report.headings"}}};
    const Findings all_in_code = {{"report.headings", std::vector<std::string>(3, "report.heading_in_code")}};
    const Findings look_alike = {{"report.headings", {"report.heading_look_alike"}}};
    const auto around = [](const std::string& name, const std::string& before, const std::string& after,
                           Findings failed) {
        return Mutation{name,
                        [=](Submission& s) {
                            std::string& text = text_of(s, "report.md");
                            text = before + text + after;
                        },
                        std::move(failed)};
    };
    return {
        report("## KV 캐시", "## KV캐시", no_heading),
        report("## 온도", "# 온도", no_heading),
        report("## top-p", "### top-p", no_heading),
        report("## top-p", "## Top-p", no_heading),
        report("## top-p", "## top-p  \r", {}),
        around("headings in code", "```\n", "\n```\n", all_in_code),
        around("a fence that is never closed", "```python\n", "", all_in_code),
        around("headings in a comment", "<!--\n", "\n-->\n", all_in_code),
        around("a code span is no fence", "```speedup``` is in time.json.\n\n", "", {}),
        around("tildes do not close backticks", "```\n~~~\n```\n", "", {}),
        around("byte order mark", "\xEF\xBB\xBF", "", {}),
        report("## top-p", "top-p\n---", {}),
        report("## top-p", "   ##   top-p   ##", {}),
        report("## top-p", "\n    ## top-p", {{"report.headings", {"report.heading_in_code"}}}),
        report("## top-p", "##top-p", no_heading),
        report("## 온도", "## **온도**", {}),
        report("## 온도", "## &#xC628;&#46020; <!-- 2 --> ##", {}),
        report("## 온도", "[온도](#2)\n---", {}),
        report("## 온도", "## \\*온도\\*", no_heading),
        report("## top-p", "##\xC2\xA0top-p", look_alike),
        report("## KV 캐시", "## KV\xC2\xA0캐시", look_alike),
        report("## KV 캐시", "## KV  캐시", look_alike),
        report("## KV 캐시", "\xE2\x80\x8B## KV 캐시", look_alike),
        report("## top-p", "## top\xE2\x80\x91p", look_alike),
        report("## top-p", "＃＃ ｔｏｐ－ｐ", look_alike),
        around("UTF-16", "\xFF\xFE", "", lost_file("report.md", "json.utf16")),
        {"decomposed",
         [](Submission& s) {
             std::string& text = text_of(s, "report.md");
             text = normalize(text, NormalForm::nfd);
         },
         {},
         {{"report.headings", {"report.heading_decomposed"}}}},
        report(bytes, grouped, {{"report.measured_bytes", {"report.number_grouped"}}}),
        // The lab's report has the factor in fewer digits beside the quoted one: that is what is found then.
        report(speedup, "6", {{"report.speedup", {"report.number_rounded"}}}),
        report(speedup, speedup + "5", {{"report.speedup", {"report.number_rounded"}}}),
        report(speedup, "1" + speedup, {{"report.speedup", {"report.number_rounded"}}}),
        raw("numbers nowhere", "report.md", "## KV 캐시\n## 온도\n## top-p\n6.3.1, x6.5\n",
            {{"report.speedup", {"report.number_missing"}},
             {"report.measured_bytes", {"report.number_missing"}}}),
    };
}

TEST(MutatedSubmissions, Texts) {
    expect_judged(text_mutations());
}

}  // namespace
}  // namespace mm
