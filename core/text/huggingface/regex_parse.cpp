// Pattern → syntax tree.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/text/huggingface/regex_cursor.hpp"
#include "core/text/huggingface/regex_syntax.hpp"

namespace mm::regex_syntax {

namespace {

constexpr std::size_t kMaxPattern = 10'000;  // bytes
constexpr int kMaxDepth = 100;               // nested groups

bool can_be_empty(const Node& node) {
    switch (node.kind) {
        case Node::character:
        case Node::set:
            return false;
        case Node::sequence:
            return std::all_of(node.parts.begin(), node.parts.end(), can_be_empty);
        case Node::alternatives:
            return std::any_of(node.parts.begin(), node.parts.end(), can_be_empty);
        case Node::repeat:
            return node.min == 0 || can_be_empty(node.parts[0]);
        case Node::atomic:
            return can_be_empty(node.parts[0]);
        default:
            return true;
    }
}

class Parser : PatternCursor {
  public:
    /// Sets go into `sets`, so that a part that is copied by {m,n} shares its set.
    Parser(std::string_view pattern, std::vector<CharSet>& sets) : PatternCursor(pattern), sets_(sets) {}

    Node parse() {
        if (pattern_.size() > kMaxPattern) unsupported(join({"a pattern of ", pattern_.size(), " bytes"}));
        if (pattern_.starts_with("(?i)")) {
            ignore_case_ = true;
            position_ = 4;
        }
        Node node = alternatives(0);
        if (!done()) broken("unmatched )");
        return node;
    }

  private:
    Node set_node(CharSet chars, bool negated) {
        chars.finish(negated);
        sets_.push_back(std::move(chars));
        return Node{.kind = Node::set, .set_index = static_cast<std::uint32_t>(sets_.size() - 1)};
    }
    Node alternatives(int depth) {
        if (depth > kMaxDepth) unsupported(join({"nesting deeper than ", kMaxDepth}));
        Node node{.kind = Node::alternatives};
        do {
            node.parts.push_back(sequence(depth));
        } while (take("|"));
        return node.parts.size() == 1 ? std::move(node.parts[0]) : std::move(node);
    }

    Node sequence(int depth) {
        Node node{.kind = Node::sequence};
        char32_t previous = 0;
        while (!done() && !peek('|') && !peek(')')) {
            const std::size_t before = position_;
            Node part = atom(depth);
            if (ignore_case_ && part.kind == Node::set && position_ == before + 1) {
                refuse_folded_pair(previous, static_cast<char32_t>(pattern_[before]));
                previous = static_cast<char32_t>(pattern_[before]);
            } else {
                previous = 0;
            }
            node.parts.push_back(quantified(std::move(part)));
        }
        return node;
    }

    /// Two letters that one character folds to (ß, ﬁ, ﬆ, …): Oniguruma then matches that character too.
    static void refuse_folded_pair(char32_t a, char32_t b) {
        const char pair[] = {static_cast<char>(a | 0x20), static_cast<char>(b | 0x20), 0};
        for (const char* folded : {"ss", "st", "ff", "fi", "fl"}) {
            if (std::string_view(pair) == folded) unsupported(join({pair, " without regard to case"}));
        }
    }

    Node atom(int depth) {
        if (take("(")) return group(depth);
        if (take("[")) return char_class();
        if (take(".")) {
            CharSet chars;
            chars.add_range('\n', '\n');
            return set_node(std::move(chars), true);
        }
        if (take("^")) return Node{.kind = Node::anchor, .op = Regex::Op::line_begin};
        if (take("$")) return Node{.kind = Node::anchor, .op = Regex::Op::line_end};
        if (take("\\")) return escape();
        const char32_t c = next();
        if (c == '*' || c == '+' || c == '?') broken("nothing to repeat");
        if (c == '{') unsupported("a bare {");
        return literal(c);
    }

    Node literal(char32_t c) {
        if (!ignore_case_) return Node{.kind = Node::character, .c = c};
        if (c >= 0x80) unsupported("a non-ASCII character without regard to case");
        CharSet chars;
        chars.add_range(c, c);
        chars.fold_ascii();
        return set_node(std::move(chars), false);
    }

    Node group(int depth) {
        const bool ignore_case = ignore_case_;
        Node node;
        Node::Kind kind = Node::sequence;
        if (take("?")) {
            if (take(":")) {
            } else if (take("i:")) {
                ignore_case_ = true;
            } else if (take("-i:")) {
                ignore_case_ = false;
            } else if (take("=")) {
                kind = Node::look_ahead;
            } else if (take("!")) {
                kind = Node::look_ahead_not;
            } else if (take(">")) {
                kind = Node::atomic;
            } else {
                const std::size_t end = std::min(position_ + 3, pattern_.size());
                unsupported(
                    join({"the group (?", printable(pattern_.substr(position_, end - position_)), "…)"}));
            }
        }
        node.kind = kind;
        node.parts.push_back(alternatives(depth + 1));
        if (!take(")")) broken("a group is not closed");
        ignore_case_ = ignore_case;
        return node;
    }

    static std::string printable(std::string_view text) {
        std::string out;
        for (const char c : text) out += c >= 0x20 && c < 0x7F ? c : '?';
        return out;
    }

    /// What stands behind a backslash, outside a class.
    Node escape() {
        if (take("A")) return Node{.kind = Node::anchor, .op = Regex::Op::text_begin};
        if (take("z")) return Node{.kind = Node::anchor, .op = Regex::Op::text_end};
        if (take("Z")) return Node{.kind = Node::anchor, .op = Regex::Op::text_end_or_newline};
        CharSet chars;
        if (peek('w') || peek('W')) {
            // Outside a class Oniguruma asks its Latin-1 table below U+0100, and that one has ² ³ ¹ ¼ ½ ¾ as
            // well.
            const bool negated = next() == 'W';
            chars.add_word(false);
            chars.add_range(0xB2, 0xB3);
            chars.add_range(0xB9, 0xB9);
            chars.add_range(0xBC, 0xBE);
            return set_node(std::move(chars), negated);
        }
        if (class_escape(chars)) {
            if (ignore_case_ && last_was_property_) unsupported("\\p{…} without regard to case");
            return set_node(std::move(chars), false);
        }
        return literal(character_escape());
    }

    /// \s \S \d \D \w \W \p{…} \P{…}: adds to `chars`. False, with nothing read, for anything else.
    bool class_escape(CharSet& chars) {
        last_was_property_ = false;
        const auto categories = [&](unicode::CategorySet set, bool negated) {
            chars.add_categories(negated ? ~set : set);
            return true;
        };
        if (take("d")) return categories(1u << unicode::Nd, false);
        if (take("D")) return categories(1u << unicode::Nd, true);
        for (const char* letter : {"s", "S", "w", "W"}) {
            if (!take(letter)) continue;
            const bool negated = std::isupper(static_cast<unsigned char>(*letter)) != 0;
            if (*letter == 's' || *letter == 'S')
                chars.add_space(negated);
            else
                chars.add_word(negated);
            return true;
        }
        const bool negated = peek('P');
        if (!take("p") && !take("P")) return false;
        last_was_property_ = true;
        if (!take("{")) unsupported("\\p without braces");
        const bool inverted = take("^");
        const std::size_t close = pattern_.find('}', position_);
        if (close == std::string_view::npos) broken("\\p{ is not closed");
        const std::string_view written = pattern_.substr(position_, close - position_);
        const unicode::CategorySet set = general_category(written);
        if (set == 0) unsupported(join({"the property \\p{", printable(written.substr(0, 40)), "}"}));
        position_ = close + 1;
        return categories(set, negated != inverted);
    }

    /// One character written with a backslash.
    char32_t character_escape() {
        const char32_t c = next();
        switch (c) {
            case 't':
                return '\t';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 'f':
                return '\f';
            case 'v':
                return '\v';
            case 'a':
                return '\a';
            case 'e':
                return 0x1B;
            case 'u':
                return hex(4, 4);
            case 'x': {
                if (!take("{")) return hex(2, 2);
                const char32_t value = hex(1, 8);
                if (!take("}")) broken("\\x{ is not closed");
                return value;
            }
            default:
                if (c < 0x80 && std::isalnum(static_cast<int>(c)) != 0) {
                    unsupported(join({"\\", static_cast<char>(c)}));
                }
                return c;
        }
    }

    Node char_class() {
        CharSet chars;
        const bool negated = take("^");
        if (peek(']')) unsupported("a class that begins with ]");
        bool property = false;
        while (!take("]")) {
            if (done()) broken("a class is not closed");
            if (peek('[')) unsupported("a class inside a class");
            if (pattern_.substr(position_).starts_with("&&")) unsupported("&& in a class");
            if (take("\\")) {
                if (class_escape(chars)) {
                    property = property || last_was_property_;
                    if (peek('-') && !pattern_.substr(position_).starts_with("-]"))
                        unsupported("a range from a class");
                    continue;
                }
                add_range(chars, character_escape());
            } else {
                add_range(chars, next());
            }
        }
        if (ignore_case_) {
            if (property || !chars.only_ascii()) unsupported("a class beyond ASCII without regard to case");
            chars.fold_ascii();
        }
        return set_node(std::move(chars), negated);
    }

    /// `first`, or the range it begins.
    void add_range(CharSet& chars, char32_t first) {
        char32_t last = first;
        if (peek('-') && !pattern_.substr(position_).starts_with("-]")) {
            ++position_;
            if (peek('[')) unsupported("a class inside a class");
            if (take("\\")) {
                CharSet ignored;
                if (class_escape(ignored)) unsupported("a range to a class");
                last = character_escape();
            } else {
                last = next();
            }
            if (last < first) broken("a range in a class runs backwards");
        }
        chars.add_range(first, last);
    }

    Node quantified(Node operand) {
        for (int count = 0;; ++count) {
            std::uint32_t min = 0;
            std::uint32_t max = kUnlimited;
            bool interval = false;
            if (take("*")) {
            } else if (take("+")) {
                min = 1;
            } else if (take("?")) {
                max = 1;
            } else if (peek('{')) {
                interval = true;
                read_interval(min, max);
            } else {
                return operand;
            }
            if (count == 2) unsupported("a quantifier on a quantifier");
            Regex::Greed greed = Regex::Greed::greedy;
            if (peek('?')) {
                if (interval && min == max) unsupported("{n}?");
                ++position_;
                greed = Regex::Greed::lazy;
            } else if (!interval && take("+")) {
                greed = Regex::Greed::possessive;  // behind {m,n} it is one more quantifier, as in Ruby
            }
            if (count == 1 && !(last_was_interval_ && min == 1 && max == kUnlimited)) {
                unsupported("a quantifier on a quantifier");
            }
            last_was_interval_ = interval;
            if (operand.kind == Node::anchor || operand.kind == Node::look_ahead ||
                operand.kind == Node::look_ahead_not) {
                unsupported("a quantifier on an assertion");
            }
            if (operand.kind == Node::character) {  // runs are made of sets
                CharSet chars;
                chars.add_range(operand.c, operand.c);
                operand = set_node(std::move(chars), false);
            }
            if (max > 1 && can_be_empty(operand)) unsupported("a quantifier on something that can be empty");
            Node node{.kind = Node::repeat, .min = min, .max = max, .greed = greed};
            node.parts.push_back(std::move(operand));
            operand = std::move(node);
        }
    }

    void read_interval(std::uint32_t& min, std::uint32_t& max) {
        ++position_;
        const std::optional<std::uint32_t> low = number();
        std::optional<std::uint32_t> high = low;
        const bool comma = take(",");
        if (comma) high = number();
        if (!take("}") || (!low && !high)) unsupported("a bare {");
        min = low.value_or(0);
        max = high.value_or(kUnlimited);
        if (max < min) unsupported("{m,n} with m > n");
        if (max == 0) unsupported("{0}");
        if (min > kMaxRepeat || (max != kUnlimited && max > kMaxRepeat)) broken("too big a number in {m,n}");
    }

    std::vector<CharSet>& sets_;
    bool ignore_case_ = false;
    bool last_was_property_ = false;
    bool last_was_interval_ = false;
};

}  // namespace

Node parse(std::string_view pattern, std::vector<CharSet>& sets) {
    return Parser(pattern, sets).parse();
}

void unsupported(std::string_view construct) {
    throw_error(ErrorKind::unsupported, join({"regular expression: ", construct, " is not supported"}));
}

}  // namespace mm::regex_syntax
