// Sets of code points, as classes and escapes of regular expressions name them.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/unicode.hpp"

namespace mm {

/// A set of code points: ranges, general categories and \w, then negated or not.
class CharSet {
  public:
    void add_range(char32_t first, char32_t last) { ranges_.emplace_back(first, last); }
    void add_categories(unicode::CategorySet categories) { categories_ |= categories; }
    void add_space(bool negated);
    void add_word(bool negated) { (negated ? not_word_ : word_) = true; }
    /// Adds what Oniguruma takes for the same letter without regard to case, for ASCII letters in the ranges.
    void fold_ascii();
    bool only_ascii() const;
    /// To be called once, when all has been added.
    void finish(bool negated);

    bool contains(char32_t c) const { return c < ascii_.size() ? ascii_[c] : slow_contains(c); }

  private:
    bool slow_contains(char32_t c) const;

    std::vector<std::pair<char32_t, char32_t>> ranges_;
    unicode::CategorySet categories_ = 0;
    bool not_space_ = false;
    bool word_ = false;
    bool not_word_ = false;
    bool negated_ = false;
    std::array<bool, 128> ascii_{};
};

/// The categories that \p{NAME} means (L, Lu, Letter, …; case, blanks, - and _ do not count); 0 if the name
/// is not a general category.
unicode::CategorySet general_category(std::string_view name);

}  // namespace mm
