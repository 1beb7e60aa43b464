#include "core/text/huggingface/char_set.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include "core/base/heap_sort.hpp"

namespace mm {

void CharSet::add_space(bool negated) {
    if (negated) {
        not_space_ = true;
        return;
    }
    add_range('\t', '\r');
    add_range(0x85, 0x85);
    add_categories(unicode::kSeparator);
}

void CharSet::fold_ascii() {
    for (std::size_t i = 0, size = ranges_.size(); i < size; ++i) {
        const auto [first, last] = ranges_[i];
        for (char32_t c = std::max(first, U'A'); c <= std::min(last, U'z'); ++c) {
            const char32_t lower = c | 0x20;
            if (lower < 'a' || lower > 'z') continue;
            add_range(c ^ 0x20, c ^ 0x20);
            if (lower == 'k') add_range(0x212A, 0x212A);  // Kelvin sign
            if (lower == 's') add_range(0x017F, 0x017F);  // long s
        }
    }
}

bool CharSet::only_ascii() const {
    return categories_ == 0 && !not_space_ && !word_ && !not_word_ &&
           std::all_of(ranges_.begin(), ranges_.end(), [](const auto& range) { return range.second < 0x80; });
}

void CharSet::finish(bool negated) {
    negated_ = negated;
    heap_sort(ranges_);
    std::size_t kept = 0;  // joined, so that one look from the left decides
    for (const auto& range : ranges_) {
        if (kept > 0 && range.first <= ranges_[kept - 1].second + 1) {
            ranges_[kept - 1].second = std::max(ranges_[kept - 1].second, range.second);
        } else {
            ranges_[kept++] = range;
        }
    }
    ranges_.resize(kept);
    for (char32_t c = 0; c < ascii_.size(); ++c) ascii_[c] = slow_contains(c);
}

bool CharSet::slow_contains(char32_t c) const {
    bool found = categories_ != 0 && unicode::in(c, categories_);
    if (!found) {
        const auto behind =
            std::upper_bound(ranges_.begin(), ranges_.end(), c,
                             [](char32_t value, const auto& range) { return value < range.first; });
        found = behind != ranges_.begin() && c <= std::prev(behind)->second;
    }
    found = found || (not_space_ && !unicode::is_space(c)) || (word_ && unicode::is_onig_word(c)) ||
            (not_word_ && !unicode::is_onig_word(c));
    return found != negated_;
}

unicode::CategorySet general_category(std::string_view written) {
    std::string name;
    for (const char c : written) {
        if (c != ' ' && c != '-' && c != '_')
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    using namespace unicode;
    constexpr std::pair<std::string_view, CategorySet> kNames[] = {
        {"l", kLetter},           {"m", kMark},      {"n", kNumber},      {"p", kPunctuation},
        {"s", kSymbol},           {"z", kSeparator}, {"c", kOther},       {"lu", 1u << Lu},
        {"ll", 1u << Ll},         {"lt", 1u << Lt},  {"lm", 1u << Lm},    {"lo", 1u << Lo},
        {"mn", 1u << Mn},         {"mc", 1u << Mc},  {"me", 1u << Me},    {"nd", 1u << Nd},
        {"nl", 1u << Nl},         {"no", 1u << No},  {"pc", 1u << Pc},    {"pd", 1u << Pd},
        {"ps", 1u << Ps},         {"pe", 1u << Pe},  {"pi", 1u << Pi},    {"pf", 1u << Pf},
        {"po", 1u << Po},         {"sm", 1u << Sm},  {"sc", 1u << Sc},    {"sk", 1u << Sk},
        {"so", 1u << So},         {"zs", 1u << Zs},  {"zl", 1u << Zl},    {"zp", 1u << Zp},
        {"cc", 1u << Cc},         {"cf", 1u << Cf},  {"co", 1u << Co},    {"cn", 1u << Cn},
        {"letter", kLetter},      {"mark", kMark},   {"number", kNumber}, {"symbol", kSymbol},
        {"separator", kSeparator}};
    for (const auto& [known, categories] : kNames) {
        if (known == name) return categories;
    }
    return 0;
}

}  // namespace mm
