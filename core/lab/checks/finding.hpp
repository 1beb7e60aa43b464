// What the grader says about a check: a hint with the values it speaks of. How much of it is shown is the
// renderers' business.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/join.hpp"
#include "core/lab/checks/hint.hpp"

namespace mm {

/// What stands for the placeholders of a sentence: {{"file", name}, {"limit", 100}}.
class FindingValues : public std::vector<std::pair<std::string_view, std::string>> {
  public:
    struct Value {
        std::string_view name;
        Part text;
    };

    FindingValues() = default;
    FindingValues(std::initializer_list<Value> values);
};

struct Finding {
    Hint hint;
    FindingValues values = {};
    // A teacher's part, shown with full feedback only; may be empty.
    std::string expected = {};
    std::string found = {};
};

/// The finding as a sentence, values filled in; with `reference` the expected and the found value follow.
std::string finding_text(const Finding& finding, Language language, bool reference);

/// `text` of a student as it may stand inside a sentence: as printable() shows it, at most 60 characters.
std::string safe_text(std::string_view text);

}  // namespace mm
