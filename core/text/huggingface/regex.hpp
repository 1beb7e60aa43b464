// Regular expressions for `Split` patterns of byte-level BPE: the part of Oniguruma's Ruby syntax those
// patterns use, with its meaning (leftmost match, ordered alternatives, backtracking), over code points of
// UTF-8 text.
//
// Written: literals, `.`, classes with ranges and negation, \p{L} and the other general categories, \s \S \d
// \D \w \W, groups ( ) (?: ) (?i: ) (?> ), |, * + ? {m,n} greedy, lazy (?) and possessive (+), lookahead (?=
// ) (?! ), ^ $ (line ends, as in Ruby) \A \z \Z. Everything else (back references, lookbehind, scripts, class
// operators, …) is refused by name when the pattern is read. A match that takes too many steps is refused
// rather than waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/huggingface/char_set.hpp"

namespace mm {

class Regex {
  public:
    struct Match {
        std::size_t begin;
        std::size_t end;
    };

    /// @param pattern well-formed UTF-8.
    /// @throws Error{unsupported} naming a construct this engine does not have, Error{format} for a broken
    /// pattern. Neither names the file or the field.
    explicit Regex(std::string_view pattern);

    /// All matches in `text` from left to right, as the reference library's iterator gives them: no empty
    /// match directly behind the match before it.
    /// @param steps_left  taken from; about ten a character is usual
    /// @throws Error{unsupported} when none are left
    std::vector<Match> find_all(std::string_view text, std::uint64_t& steps_left) const;

    enum class Op : std::uint8_t {
        match,           // the (sub-)program has matched
        character,       // a: code point
        set,             // a: index of a set
        split,           // try a, then b
        jump,            // a
        repeat,          // a: index of a Repeat over one set
        look_ahead,      // the sub-program that follows must match; a: where to go on
        look_ahead_not,  // … must not match
        atomic,          // the sub-program that follows matches once and for all; a: where to go on
        line_begin,
        line_end,
        text_begin,
        text_end,
        text_end_or_newline,
    };
    struct Instruction {
        Op op;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
    };
    enum class Greed : std::uint8_t { greedy, lazy, possessive };
    struct Repeat {
        std::uint32_t set;
        std::uint32_t min;
        std::uint32_t max;
        Greed greed;
    };
    struct Program {
        std::vector<Instruction> code;
        std::vector<CharSet> sets;
        std::vector<Repeat> repeats;
    };

  private:
    Program program_;
};

/// Reads and compiles a pattern (regex_compile.cpp). Same errors as the constructor.
Regex::Program compile_regex(std::string_view pattern);

}  // namespace mm
