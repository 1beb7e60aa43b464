// Grades for people: one submission in full, a class as a list and a table.
#include <algorithm>

#include "core/base/display_width.hpp"
#include "core/base/join.hpp"
#include "core/lab/checks/class_names.hpp"
#include "core/lab/checks/common_hints.hpp"
#include "core/lab/checks/render.hpp"

namespace mm {
namespace {

struct Words {
    const char* failed;   // before the ids of a line
    const char* summary;  // heading of the table
    const char* people;   // after the number of submissions
    const char* full;     // after the number of full scores
    const char* mean;
};

Words words(Language language) {
    if (language == Language::ko) return {"틀림", "요약", "명", "만점", "평균"};
    if (language == Language::zh) return {"未通过", "汇总", "份", "满分", "平均"};
    return {"failed", "Summary", "submissions", "full", "mean"};
}

std::string padded(std::string text, std::size_t width, bool right) {
    if (text.size() >= width) return text;
    const std::string space(width - text.size(), ' ');
    return right ? space + text : text + space;
}

bool only_follows(const CheckResult& check) {
    return std::all_of(check.findings.begin(), check.findings.end(),
                       [](const Finding& finding) { return finding.hint == kCommonHints["needs.file"]; }) &&
           !check.findings.empty();
}

std::string one_in_full(const Grade& grade, const RenderOptions& options) {
    std::string text = join(
        {safe_text(grade.name), "  ", points_text(grade.score()), " / ", points_text(grade.max()), "\n"});
    std::string_view group;
    for (std::size_t i = 0; i < grade.checks.size(); ++i) {
        const CheckResult& check = grade.checks[i];
        const CheckDefinition& definition = check_list()[i];
        // The folder is worth a line only when there is something to say of it.
        if (definition.id == "folder" && check.ok && check.findings.empty()) continue;
        if (definition.group() != group) {
            group = definition.group();
            text += '\n';
        }
        constexpr std::size_t kId = 24;
        constexpr std::size_t kPoints = 8;
        text += join({"  ", check.ok ? "✓" : "✗", " ", padded(std::string(check.id), kId, false),
                      padded(join({points_text(check.points()), "/", points_text(check.max)}), kPoints, true),
                      "  ", definition.title(options.language), "\n"});
        // "The file could not be used" is said once, where the file is judged.
        const std::string hint = only_follows(check) ? "" : hint_text(check, options);
        if (!hint.empty()) text += join({"      → ", hint, "\n"});
    }
    return text;
}

struct Widths {
    std::size_t score = 0;
    std::size_t name = 0;
};

std::string one_line(const Grade& grade, const std::string& name, const Widths& widths,
                     const RenderOptions& options) {
    std::string failed;
    std::string_view whole_group;
    for (std::size_t i = 0; i < grade.checks.size(); ++i) {
        const CheckResult& check = grade.checks[i];
        if (check.ok) continue;
        const std::string_view group = check_list()[i].group();
        if (group == whole_group && only_follows(check)) continue;
        whole_group = group;
        failed += join({failed.empty() ? "" : ", ", check.id});
    }
    const std::string score = join({points_text(grade.score()), "/", points_text(grade.max())});
    std::string text = join({grade.full() ? "✓ " : "✗ ", padded(score, widths.score, true), "  ", name});
    if (failed.empty()) return join({text, "\n"});
    text += std::string(widths.name - display_width(name), ' ');
    text += join({"  ", words(options.language).failed, ": ", failed});
    return join({text, "\n"});
}

std::string table(std::span<const Grade> grades, const RenderOptions& options) {
    const Words w = words(options.language);
    double sum = 0;
    std::size_t full = 0;
    for (const Grade& grade : grades) {
        sum += grade.score();
        full += grade.full();
    }
    const auto count = static_cast<double>(grades.size());
    std::string text =
        join({w.summary, ": ", grades.size(), " ", w.people, ", ", w.full, " ", full, ", ", w.mean, " ",
              points_text(sum / count), " / ", points_text(grades.front().max()), "\n\n"});
    for (std::size_t i = 0; i < check_list().size(); ++i) {
        std::size_t passed = 0;
        for (const Grade& grade : grades) passed += grade.checks[i].ok;
        constexpr std::size_t kId = 26;
        constexpr std::size_t kCount = 12;
        text += join({"  ", padded(check_list()[i].id, kId, false),
                      padded(join({passed, "/", grades.size()}), kCount, true), "  ",
                      check_list()[i].title(options.language), "\n"});
    }
    return text;
}

}  // namespace

std::string grades_text(std::span<const Grade> grades, const RenderOptions& options) {
    if (grades.size() == 1) return one_in_full(grades.front(), options);
    std::vector<std::string> folders;
    for (const Grade& grade : grades) folders.push_back(grade.name);
    const std::vector<std::string> names = class_names(folders);
    Widths widths;
    for (std::size_t i = 0; i < grades.size(); ++i) {
        const std::string score = join({points_text(grades[i].score()), "/", points_text(grades[i].max())});
        widths.score = std::max(widths.score, score.size());
        widths.name = std::max(widths.name, display_width(names[i]));
    }
    std::string text;
    for (std::size_t i = 0; i < grades.size(); ++i) text += one_line(grades[i], names[i], widths, options);
    return grades.empty() ? text : join({text, "\n", table(grades, options)});
}

}  // namespace mm
