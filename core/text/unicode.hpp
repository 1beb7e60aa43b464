// Character classes of the reference tokenizer library. Its parts carry Unicode data of different ages; each
// predicate here names the part it equals. The tables were taken from the library itself, code point by code
// point (tests/reference/unicode_tables.py).
#pragma once

#include <cstdint>

namespace mm::unicode {

/// Unicode's general categories, in the tables' order. `Cs` never occurs in valid text.
enum Category : std::uint8_t {
    Lu,
    Ll,
    Lt,
    Lm,
    Lo,
    Mn,
    Mc,
    Me,
    Nd,
    Nl,
    No,
    Pc,
    Pd,
    Ps,
    Pe,
    Pi,
    Pf,
    Po,
    Sm,
    Sc,
    Sk,
    So,
    Zs,
    Zl,
    Zp,
    Cc,
    Cf,
    Cs,
    Co,
    Cn
};

/// A set of categories as bits: `1u << Lu | …`.
using CategorySet = std::uint32_t;
constexpr CategorySet kLetter = 1u << Lu | 1u << Ll | 1u << Lt | 1u << Lm | 1u << Lo;
constexpr CategorySet kMark = 1u << Mn | 1u << Mc | 1u << Me;
constexpr CategorySet kNumber = 1u << Nd | 1u << Nl | 1u << No;
constexpr CategorySet kPunctuation =
    1u << Pc | 1u << Pd | 1u << Ps | 1u << Pe | 1u << Pi | 1u << Pf | 1u << Po;
constexpr CategorySet kSymbol = 1u << Sm | 1u << Sc | 1u << Sk | 1u << So;
constexpr CategorySet kSeparator = 1u << Zs | 1u << Zl | 1u << Zp;
constexpr CategorySet kOther = 1u << Cc | 1u << Cf | 1u << Cs | 1u << Co | 1u << Cn;

/// General category, Unicode 16.0 (Oniguruma's \p{…}).
Category category(char32_t c);

inline bool in(char32_t c, CategorySet set) {
    return (set >> category(c) & 1) != 0;
}

/// White_Space: \s of both regular expression engines and Rust's char::is_whitespace.
bool is_space(char32_t c);

/// \w of the Rust regex crate (added tokens' single_word, the Whitespace pre-tokenizer).
bool is_rust_word(char32_t c);

/// \w of Oniguruma (Split patterns).
bool is_onig_word(char32_t c);

/// Rust's char::is_numeric (the Digits pre-tokenizer), Unicode 17.0.
bool is_rust_numeric(char32_t c);

/// What the Punctuation and BertPreTokenizer pre-tokenizers split on.
bool is_punctuation(char32_t c);

/// Rust's one-to-one lower case, Unicode 17.0. U+0130 alone becomes two characters (i, U+0307) and is left to
/// the caller.
char32_t to_lower(char32_t c);

}  // namespace mm::unicode
