#include "core/text/gpt2_pattern.hpp"

#include "core/base/utf8.hpp"
#include "core/text/unicode.hpp"

namespace mm {

namespace {

template <typename Predicate>
std::size_t run_end(std::string_view text, std::size_t at, const Predicate& predicate) {
    for (std::size_t next = at; next < text.size() && predicate(next_code_point(text, next));) at = next;
    return at;
}

}  // namespace

std::size_t gpt2_match(std::string_view text, std::size_t begin) {
    using unicode::in;
    if (text[begin] == '\'') {
        for (const std::string_view suffix : {"s", "t", "re", "ve", "m", "ll", "d"}) {
            if (text.substr(begin + 1).starts_with(suffix)) return begin + 1 + suffix.size();
        }
    }
    const std::size_t word = text[begin] == ' ' ? begin + 1 : begin;
    if (word < text.size()) {
        std::size_t behind = word;
        const char32_t c = next_code_point(text, behind);
        if (in(c, unicode::kLetter))
            return run_end(text, behind, [](char32_t d) { return in(d, unicode::kLetter); });
        if (in(c, unicode::kNumber))
            return run_end(text, behind, [](char32_t d) { return in(d, unicode::kNumber); });
        if (!unicode::is_space(c)) {
            return run_end(text, behind, [](char32_t d) {
                return !unicode::is_space(d) && !in(d, unicode::kLetter | unicode::kNumber);
            });
        }
    }
    const std::size_t end = run_end(text, begin, unicode::is_space);
    if (end == text.size()) return end;
    // White space before a word leaves its last character to the word, unless it is only one.
    std::size_t shorter = end;
    previous_code_point(text, shorter);
    return shorter == begin ? end : shorter;
}

}  // namespace mm
