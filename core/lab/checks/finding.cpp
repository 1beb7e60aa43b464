#include "core/lab/checks/finding.hpp"

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/printable.hpp"

namespace mm {
namespace {

// Placeholders are replaced in one pass: a value that looks like one stays as it is.
std::string filled(std::string_view pattern, const Finding& finding) {
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('{');
        const std::size_t close = open == pattern.npos ? pattern.npos : pattern.find('}', open);
        if (close == pattern.npos) return text += pattern;
        text += pattern.substr(0, open);
        const std::string_view name = pattern.substr(open + 1, close - open - 1);
        for (const auto& [key, value] : finding.values) {
            if (key == name) text += value;
        }
        pattern.remove_prefix(close + 1);
    }
    return text;
}

std::string reference_text(const Finding& finding, Language language) {
    switch (language) {
        case Language::ko:
            return join({" (기준 ", finding.expected, ", 낸 값 ", finding.found, ")"});
        case Language::zh:
            return join({"（基准 ", finding.expected, "，提交 ", finding.found, "）"});
        case Language::en:
            return join({" (expected ", finding.expected, ", found ", finding.found, ")"});
    }
    throw_error(ErrorKind::internal, "unknown language");
}

}  // namespace

FindingValues::FindingValues(std::initializer_list<Value> values) {
    reserve(values.size());
    for (const Value& value : values) emplace_back(value.name, join({value.text}));
}

std::string_view Hint::sentence(Language language) const {
    switch (language) {
        case Language::ko:
            return ko;
        case Language::zh:
            return zh;
        case Language::en:
            return en;
    }
    throw_error(ErrorKind::internal, "unknown language");
}

Language parse_language(std::string_view name) {
    if (name == "ko") return Language::ko;
    if (name == "zh") return Language::zh;
    if (name == "en") return Language::en;
    throw_error(ErrorKind::range, join({"no language is named '", name, "' (known: ko, zh, en)"}),
                {.field = "lang"});
}

std::string finding_text(const Finding& finding, Language language, bool reference) {
    std::string text = filled(finding.hint.sentence(language), finding);
    if (reference && !finding.expected.empty()) text += reference_text(finding, language);
    return text;
}

std::string safe_text(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    return printable(text, kLongest);
}

}  // namespace mm
