// The syntax tree of a regular expression: what regex_parse.cpp reads and regex_compile.cpp turns into a
// program. Only these two use it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/huggingface/char_set.hpp"
#include "core/text/huggingface/regex.hpp"

namespace mm::regex_syntax {

constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

struct Node {
    enum Kind {
        empty,
        character,
        set,
        sequence,
        alternatives,
        repeat,
        look_ahead,
        look_ahead_not,
        atomic,
        anchor
    };
    Kind kind = empty;
    char32_t c = 0;
    std::uint32_t set_index = 0;      // index of a set
    Regex::Op op = Regex::Op::match;  // of an anchor
    std::uint32_t min = 0;
    std::uint32_t max = 0;
    Regex::Greed greed = Regex::Greed::greedy;
    std::vector<Node> parts = {};
};

/// Reads a pattern. Sets go into `sets`, so that a part that is copied by {m,n} shares its set.
/// @throws as Regex's constructor.
Node parse(std::string_view pattern, std::vector<CharSet>& sets);

/// Throws Error{unsupported} naming the construct.
[[noreturn]] void unsupported(std::string_view construct);

}  // namespace mm::regex_syntax
