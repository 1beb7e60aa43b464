// JUnit XML, by hand: four elements do not need a library, but every text does need escaping.
#include <algorithm>

#include "core/base/join.hpp"
#include "core/base/printable.hpp"
#include "core/base/utf8.hpp"
#include "core/lab/checks/render.hpp"

namespace mm {
namespace {

// As an attribute's value or an element's text. What XML 1.0 cannot hold becomes U+FFFD.
std::string escaped(std::string_view text) {
    const std::string mended = escape_invalid_utf8(text);
    std::string out;
    for (std::size_t at = 0; at < mended.size();) {
        const std::size_t from = at;
        const char32_t c = next_code_point(mended, at);
        switch (c) {
            case U'&':
                out += "&amp;";
                break;
            case U'<':
                out += "&lt;";
                break;
            case U'>':
                out += "&gt;";
                break;
            case U'"':
                out += "&quot;";
                break;
            case U'\t':
            case U'\n':
            case U'\r':
                out += join({"&#", static_cast<unsigned>(c), ";"});
                break;
            default:
                out +=
                    c < 0x20 || c == 0xFFFE || c == 0xFFFF ? "\xEF\xBF\xBD" : mended.substr(from, at - from);
        }
    }
    return out;
}

std::string attribute(const char* name, std::string_view value) {
    return join({" ", name, "=\"", escaped(value), "\""});
}

std::string counts(std::size_t tests, std::size_t failures) {
    return attribute("tests", std::to_string(tests)) + attribute("failures", std::to_string(failures)) +
           attribute("errors", "0");
}

std::size_t failed(const Grade& grade) {
    return static_cast<std::size_t>(std::count_if(grade.checks.begin(), grade.checks.end(),
                                                  [](const CheckResult& check) { return !check.ok; }));
}

std::string test_case(const CheckResult& check, const CheckDefinition& definition,
                      const RenderOptions& options) {
    const std::string title(definition.title(options.language));
    std::string text = join({"    <testcase", attribute("name", join({check.id, ": ", title})),
                             attribute("classname", join({"lab.", definition.group()}))});
    const std::string hint = hint_text(check, options);
    if (check.ok) {
        if (hint.empty()) return join({text, "/>\n"});
        return join({text, ">\n      <system-out>", escaped(hint), "</system-out>\n    </testcase>\n"});
    }
    const std::string points = join({points_text(check.points()), " / ", points_text(check.max)});
    const std::string_view code = options.feedback == Feedback::none || check.findings.empty()
                                      ? "failed"
                                      : check.findings.front().hint.code;
    return join({text, ">\n      <failure", attribute("type", code),
                 attribute("message", hint.empty() ? title : hint), ">", escaped(points),
                 "</failure>\n    </testcase>\n"});
}

}  // namespace

std::string grades_junit(std::span<const Grade> grades, const RenderOptions& options) {
    std::size_t tests = 0;
    std::size_t failures = 0;
    for (const Grade& grade : grades) {
        tests += grade.checks.size();
        failures += failed(grade);
    }
    std::string text = join({"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites",
                             attribute("name", "MiniMind Lab"), counts(tests, failures), ">\n"});
    for (const Grade& grade : grades) {
        text += join({"  <testsuite", attribute("name", printable(grade.name)),
                      counts(grade.checks.size(), failed(grade)), ">\n"});
        text += "    <properties>\n";
        for (const auto& [name, value] :
             {std::pair<const char*, std::string>{"score", points_text(grade.score())},
              {"max", points_text(grade.max())},
              {"version", std::to_string(kGradeVersion)},
              {"ref", options.ref},
              {"rng", options.rng}}) {
            text += join({"      <property", attribute("name", name), attribute("value", value), "/>\n"});
        }
        text += "    </properties>\n";
        for (std::size_t i = 0; i < grade.checks.size(); ++i) {
            text += test_case(grade.checks[i], check_list()[i], options);
        }
        text += "  </testsuite>\n";
    }
    return join({text, "</testsuites>\n"});
}

}  // namespace mm
