// Mutated submissions: report.md and cache.py.
#include <gtest/gtest.h>

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

TEST(MutatedSubmissions, Texts) {
    expect_judged(text_mutations());
}

}  // namespace
}  // namespace mm
