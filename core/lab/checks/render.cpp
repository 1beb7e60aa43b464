#include "core/lab/checks/render.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/printable.hpp"
#include "core/lab/json_text.hpp"

namespace mm {
namespace {

Json points_json(double points) {
    const double whole = std::round(points);
    if (whole == points) return static_cast<std::int64_t>(whole);
    return points;
}

// A cell a spreadsheet takes as text: quoted where RFC 4180 asks for it, and never a formula.
std::string cell(std::string text) {
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
        text.insert(0, "'");
    }
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted_text = "\"";
    for (const char c : text) quoted_text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return join({quoted_text, "\""});
}

}  // namespace

Feedback parse_feedback(std::string_view name) {
    if (name == "none") return Feedback::none;
    if (name == "hint") return Feedback::hint;
    if (name == "full") return Feedback::full;
    throw_error(ErrorKind::range, join({"unknown feedback level '", name, "' (known: full, hint, none)"}),
                {.field = "feedback"});
}

std::string points_text(double points) {
    constexpr double kUnits = 1e6;
    const double rounded = std::round(points * kUnits) / kUnits;
    return rounded_text(rounded, 12);
}

std::string hint_text(const CheckResult& check, const RenderOptions& options) {
    if (options.feedback == Feedback::none) return "";
    std::string text;
    for (const Finding& finding : check.findings) {
        if (!text.empty()) text += ' ';
        text += finding_text(finding, options.language, options.feedback == Feedback::full);
    }
    return text;
}

std::string grades_json(std::span<const Grade> grades, const RenderOptions& options) {
    Json json = {{"version", kGradeVersion}, {"ref", escape_invalid_utf8(options.ref)}, {"rng", options.rng}};
    json["submissions"] = Json::array();
    for (const Grade& grade : grades) {
        Json submission = {{"dir", escape_invalid_utf8(grade.name)},
                           {"score", points_json(grade.score())},
                           {"max", points_json(grade.max())},
                           {"checks", Json::array()}};
        for (const CheckResult& check : grade.checks) {
            const std::string hint = hint_text(check, options);
            submission["checks"].push_back({{"id", check.id},
                                            {"ok", check.ok},
                                            {"points", points_json(check.points())},
                                            {"max", points_json(check.max)},
                                            {"hint", hint.empty() ? Json(nullptr) : Json(hint)}});
        }
        json["submissions"].push_back(std::move(submission));
    }
    return json_text(json);
}

std::string grades_gradescope(const Grade& grade, const RenderOptions& options) {
    Json json = {
        {"score", points_json(grade.score())},
        {"output",
         join({printable(grade.name), ": ", points_text(grade.score()), " / ", points_text(grade.max())})},
        {"output_format", "text"},
        {"visibility", "visible"},
        {"stdout_visibility", "hidden"},
        {"extra_data",
         {{"version", kGradeVersion}, {"ref", escape_invalid_utf8(options.ref)}, {"rng", options.rng}}}};
    json["tests"] = Json::array();
    const auto list = check_list();
    for (std::size_t i = 0; i < grade.checks.size(); ++i) {
        const CheckResult& check = grade.checks[i];
        json["tests"].push_back({{"score", points_json(check.points())},
                                 {"max_score", points_json(check.max)},
                                 {"status", check.ok ? "passed" : "failed"},
                                 {"name", join({check.id, ": ", list[i].title(options.language)})},
                                 {"number", std::to_string(i + 1)},
                                 {"output", hint_text(check, options)},
                                 {"output_format", "text"},
                                 {"tags", {list[i].group()}},
                                 {"visibility", "visible"}});
    }
    return json_text(json);
}

std::string grades_csv(std::span<const Grade> grades) {
    std::string text = "dir,score,max";
    for (const CheckDefinition& check : check_list()) text += join({",", check.id});
    text += "\r\n";
    for (const Grade& grade : grades) {
        text += join(
            {cell(printable(grade.name)), ",", points_text(grade.score()), ",", points_text(grade.max())});
        for (const CheckResult& check : grade.checks) text += join({",", points_text(check.points())});
        text += "\r\n";
    }
    return text;
}

}  // namespace mm
