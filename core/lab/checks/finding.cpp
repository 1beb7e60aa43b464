#include "core/lab/checks/finding.hpp"

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/printable.hpp"
#include "core/lab/checks/step_checks.hpp"

namespace mm {
namespace {

// Placeholders are replaced in one pass: a value that looks like one stays as it is.
std::string filled(std::string_view pattern, const FindingValues& values) {
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('{');
        const std::size_t close = open == pattern.npos ? pattern.npos : pattern.find('}', open);
        if (close == pattern.npos) return text += pattern;
        text += pattern.substr(0, open);
        const std::string_view name = pattern.substr(open + 1, close - open - 1);
        for (const auto& [key, value] : values) {
            if (key == name) text += value;
        }
        pattern.remove_prefix(close + 1);
    }
    return text;
}

std::string_view in_language(Language language, std::string_view ko, std::string_view zh,
                             std::string_view en) {
    return language == Language::ko ? ko : language == Language::zh ? zh : en;
}

constexpr Hint kReference{"", " (기준 {expected}, 낸 값 {found})", "（基准 {expected}，提交 {found}）",
                          " (expected {expected}, found {found})"};

}  // namespace

FindingValues::FindingValues(std::initializer_list<Value> values) {
    reserve(values.size());
    for (const Value& value : values) emplace_back(value.name, join({value.text}));
}

std::string_view Hint::sentence(Language language) const {
    return in_language(language, ko, zh, en);
}

std::string_view CheckDefinition::title(Language language) const {
    return in_language(language, ko, zh, en);
}

Language parse_language(std::string_view name) {
    if (name == "ko") return Language::ko;
    if (name == "zh") return Language::zh;
    if (name == "en") return Language::en;
    throw_error(ErrorKind::range, join({"unknown language '", name, "' (known: ko, zh, en)"}),
                {.field = "lang"});
}

std::string finding_text(const Finding& finding, Language language, bool reference) {
    std::string text = filled(finding.hint.sentence(language), finding.values);
    if (reference && !finding.expected.empty()) {
        text +=
            filled(kReference.sentence(language), {{"expected", finding.expected}, {"found", finding.found}});
    }
    return text;
}

std::string safe_text(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    return printable(text, kLongest);
}

}  // namespace mm
