#include "core/text/huggingface/normalization.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/utf8.hpp"
#include "core/text/varint.hpp"

namespace mm {

namespace {

#include "core/text/huggingface/normalization_tables.inc"

// Hangul syllables compose and decompose by arithmetic (Unicode 3.12).
constexpr char32_t kHangulS = 0xAC00;
constexpr char32_t kHangulL = 0x1100;
constexpr char32_t kHangulV = 0x1161;
constexpr char32_t kHangulT = 0x11A7;
constexpr char32_t kHangulLCount = 19;
constexpr char32_t kHangulVCount = 21;
constexpr char32_t kHangulTCount = 28;
constexpr char32_t kHangulSCount = kHangulLCount * kHangulVCount * kHangulTCount;

struct Decomposition {
    std::uint32_t offset;  // into the pool
    std::uint16_t size;
    bool compatibility;
};

struct Marked {
    char32_t c;
    std::uint8_t combining_class;
};

class Tables {
  public:
    static const Tables& get() {
        static const Tables tables;
        return tables;
    }

    /// Appends the full decomposition of `c`.
    void decompose(char32_t c, bool compatibility, std::vector<Marked>& out) const {
        if (c < 0xA0) {
            out.push_back({c, 0});
            return;
        }
        if (c - kHangulS < kHangulSCount) {
            const char32_t s = c - kHangulS;
            out.push_back({kHangulL + s / (kHangulVCount * kHangulTCount), 0});
            out.push_back({kHangulV + s / kHangulTCount % kHangulVCount, 0});
            if (s % kHangulTCount != 0) out.push_back({kHangulT + s % kHangulTCount, 0});
            return;
        }
        const auto found = decompositions_.find(c);
        if (found == decompositions_.end() || (found->second.compatibility && !compatibility)) {
            out.push_back({c, combining_class(c)});
            return;
        }
        // The tables have no cycles, and are at most four steps deep.
        for (std::uint32_t i = 0; i < found->second.size; ++i) {
            decompose(pool_[found->second.offset + i], compatibility, out);
        }
    }

    /// The primary composite of two characters; 0 when there is none.
    char32_t compose(char32_t a, char32_t b) const {
        if (a - kHangulL < kHangulLCount && b - kHangulV < kHangulVCount) {
            return kHangulS + ((a - kHangulL) * kHangulVCount + (b - kHangulV)) * kHangulTCount;
        }
        if (a - kHangulS < kHangulSCount && (a - kHangulS) % kHangulTCount == 0 && b > kHangulT &&
            b < kHangulT + kHangulTCount) {
            return a + (b - kHangulT);
        }
        const auto found = composites_.find(pair(a, b));
        return found == composites_.end() ? 0 : found->second;
    }

  private:
    static std::uint64_t pair(char32_t a, char32_t b) { return std::uint64_t{a} << 32 | b; }

    std::uint8_t combining_class(char32_t c) const {
        const auto found = classes_.find(c);
        return found == classes_.end() ? std::uint8_t{0} : found->second;
    }

    Tables() {
        read_decompositions();
        VarintReader in(kCombiningClasses);
        char32_t c = 0;
        while (!in.done()) {
            c += in.number();
            const std::uint32_t more = in.number();
            const auto value = static_cast<std::uint8_t>(in.number());
            for (std::uint32_t i = 0; i <= more; ++i) classes_[c + i] = value;
            c += more;
        }
    }

    void read_decompositions() {
        VarintReader steps(kDecompositionSteps);
        VarintReader kinds(kDecompositionKinds);
        VarintReader firsts(kDecompositionFirsts);
        VarintReader others(kDecompositionOthers);
        char32_t c = 0;
        std::int32_t first = 0;
        std::int32_t second = 0;
        while (!steps.done()) {
            c += steps.number();
            const std::uint32_t kind = kinds.number();
            first += firsts.signed_number();
            const auto offset = static_cast<std::uint32_t>(pool_.size());
            pool_.push_back(static_cast<char32_t>(first));
            if (kind == 1) {  // a pair that composes again
                second += others.signed_number();
                pool_.push_back(static_cast<char32_t>(second));
                composites_[pair(pool_[offset], pool_[offset + 1])] = c;
                decompositions_[c] = {offset, 2, false};
                continue;
            }
            std::int32_t next = first;
            for (std::uint32_t i = 1; i < kind / 2; ++i) {
                next += others.signed_number();
                pool_.push_back(static_cast<char32_t>(next));
            }
            decompositions_[c] = {offset, static_cast<std::uint16_t>(kind / 2), kind % 2 == 1};
        }
    }

    std::vector<char32_t> pool_;
    std::unordered_map<char32_t, Decomposition> decompositions_;
    std::unordered_map<std::uint64_t, char32_t> composites_;
    std::unordered_map<char32_t, std::uint8_t> classes_;
};

/// Canonical ordering: marks between two starters are sorted by class, equal classes keep their order.
void order(std::vector<Marked>& text) {
    for (std::size_t i = 0; i < text.size();) {
        if (text[i].combining_class == 0) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && text[end].combining_class != 0) ++end;
        std::stable_sort(
            text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(end),
            [](const Marked& a, const Marked& b) { return a.combining_class < b.combining_class; });
        i = end;
    }
}

/// Canonical composition in place (Unicode 3.11, D117): a mark joins the last starter unless something
/// between them blocks it.
void compose(const Tables& tables, std::vector<Marked>& text) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t starter = kNone;
    std::size_t out = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const Marked next = text[i];
        if (starter != kNone) {
            const bool adjacent = out == starter + 1;
            const bool open = adjacent || text[out - 1].combining_class < next.combining_class;
            const char32_t composite = open ? tables.compose(text[starter].c, next.c) : 0;
            if (composite != 0) {
                text[starter].c = composite;
                continue;
            }
        }
        if (next.combining_class == 0) starter = out;
        text[out++] = next;
    }
    text.resize(out);
}

}  // namespace

std::string normalize(std::string_view text, NormalForm form) {
    const bool ascii =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii) return std::string(text);
    const Tables& tables = Tables::get();
    const bool compatibility = form == NormalForm::nfkc || form == NormalForm::nfkd;
    std::vector<Marked> marked;
    marked.reserve(text.size());
    for (std::size_t i = 0; i < text.size();)
        tables.decompose(next_code_point(text, i), compatibility, marked);
    order(marked);
    if (form == NormalForm::nfc || form == NormalForm::nfkc) compose(tables, marked);
    std::string out;
    out.reserve(text.size());
    for (const Marked& m : marked) append_utf8(out, m.c);
    return out;
}

}  // namespace mm
