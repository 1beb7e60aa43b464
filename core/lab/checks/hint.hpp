// What the grader can say about a check: a sentence in three languages under a stable code.
//
// A check file lists its own sentences once and names them by code; a code that is not in the list does not
// compile. A sentence never holds a value of the reference: feedback "hint" shows it to students.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace mm {

enum class Language { ko, zh, en };

/// "ko", "zh", "en". @throws Error{range} that lists them.
Language parse_language(std::string_view name);

struct Hint {
    std::string_view code;        // for programs, the same in every language: "kv.after_repeat"
    std::string_view ko, zh, en;  // with {placeholders}

    std::string_view sentence(Language language) const;
    friend bool operator==(const Hint& a, const Hint& b) { return a.code == b.code; }
};

template <std::size_t kCount>
struct Hints {
    std::array<Hint, kCount> list;

    consteval Hint operator[](std::string_view code) const {
        for (const Hint& hint : list) {
            if (hint.code == code) return hint;
        }
        throw "there is no such hint";
    }
};

}  // namespace mm
