#include "core/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "core/text/varint.hpp"

namespace mm::unicode {

namespace {

#include "core/text/unicode_tables.inc"

constexpr std::size_t kCodePoints = 0x110000;
constexpr std::size_t kPage = 128;
constexpr std::uint8_t kAlternating = Cn + 1;  // a run Lu, Ll, Lu, Ll, …

/// Two-stage table: page numbers, then pages. Equal neighbours share a page, which covers the planes that are
/// one single run; about 100 KB.
struct CategoryTable {
    std::array<std::uint16_t, kCodePoints / kPage> page_of{};
    std::vector<std::uint8_t> pages;

    CategoryTable() {
        VarintReader in(kCategoryRuns);
        std::array<std::uint8_t, kPage> page{};
        std::size_t c = 0;
        while (!in.done()) {
            const std::uint8_t head = in.byte();
            const std::uint8_t run = head & 0x1F;
            const std::uint32_t length = head >> 5 != 0 ? head >> 5 : in.number();
            for (std::uint32_t i = 0; i < length; ++i, ++c) {
                const auto value =
                    run == kAlternating ? static_cast<std::uint8_t>(i % 2 == 0 ? Lu : Ll) : run;
                page[c % kPage] = value;
                if (c % kPage == kPage - 1) add(page, c / kPage);
            }
        }
    }

    void add(const std::array<std::uint8_t, kPage>& page, std::size_t index) {
        const bool repeats =
            pages.size() >= kPage && std::equal(page.begin(), page.end(), pages.end() - kPage);
        if (!repeats) pages.insert(pages.end(), page.begin(), page.end());
        page_of[index] = static_cast<std::uint16_t>(pages.size() / kPage - 1);
    }
};

struct Run {
    char32_t first;
    char32_t last;
};

struct LowerRun {
    char32_t first;
    char32_t last;
    std::uint32_t stride;
    std::int32_t shift;
};

std::vector<Run> punctuation_differences() {
    std::vector<Run> out;
    VarintReader in(kPunctuationDifferences);
    char32_t previous = 0;
    while (!in.done()) {
        const char32_t first = previous + in.number();
        previous = first + in.number();
        out.push_back({first, previous});
    }
    return out;
}

std::vector<LowerRun> lower_runs() {
    std::vector<LowerRun> out;
    VarintReader in(kLowerCase);
    char32_t first = 0;
    while (!in.done()) {
        first += in.number();
        const std::uint32_t count = in.number();
        const std::uint32_t stride = in.number();
        out.push_back({first, first + (count - 1) * stride, stride, in.signed_number()});
    }
    return out;
}

}  // namespace

Category category(char32_t c) {
    static const CategoryTable table;
    return static_cast<Category>(table.pages[table.page_of[c / kPage] * kPage + c % kPage]);
}

bool is_space(char32_t c) {
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
    return c == 0x85 || in(c, kSeparator);
}

bool is_rust_word(char32_t c) {
    if (in(c, kLetter | kMark | 1u << Nd | 1u << Nl | 1u << Pc)) return true;
    // Join_Control, then circled and squared letters, which are symbols but Alphabetic.
    return c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

bool is_onig_word(char32_t c) {
    return c != 0x200C && c != 0x200D && is_rust_word(c);
}

bool is_rust_numeric(char32_t c) {
    return in(c, kNumber) || (c >= 0x11DE0 && c <= 0x11DE9) || (c >= 0x16FF4 && c <= 0x16FF6);
}

bool is_punctuation(char32_t c) {
    if (c < 0x80) return in(c, kPunctuation | kSymbol);
    static const std::vector<Run> differences = punctuation_differences();
    const auto run = std::lower_bound(differences.begin(), differences.end(), c,
                                      [](const Run& r, char32_t value) { return r.last < value; });
    const bool differs = run != differences.end() && run->first <= c;
    return in(c, kPunctuation) != differs;
}

char32_t to_lower(char32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 0x20 : c;
    static const std::vector<LowerRun> runs = lower_runs();
    // Runs of stride 2 may interleave (upper case letters of two kinds), so a few candidates are looked at.
    auto run = std::upper_bound(runs.begin(), runs.end(), c,
                                [](char32_t value, const LowerRun& r) { return value < r.first; });
    for (int looked = 0; looked < 4 && run != runs.begin(); ++looked) {
        --run;
        if (c <= run->last && (c - run->first) % run->stride == 0) {
            return static_cast<char32_t>(static_cast<std::int32_t>(c) + run->shift);
        }
    }
    return c;
}

}  // namespace mm::unicode
