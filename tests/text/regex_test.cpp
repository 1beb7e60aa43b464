// The regular expression engine: what it refuses, what it bounds, and GPT-2's pattern by hand against it. Its
// matches are held against Oniguruma's, through the reference library, by tests/reference/diff_tokenizer.py.
#include <gtest/gtest.h>

#include <random>

#include "core/base/error.hpp"
#include "core/base/utf8.hpp"
#include "core/text/gpt2_pattern.hpp"
#include "core/text/huggingface/regex.hpp"
#include "core/text/unicode.hpp"
#include "tests/text/helpers.hpp"

namespace mm {
namespace {

std::vector<Regex::Match> find_all(const Regex& regex, std::string_view text) {
    std::uint64_t steps = 20'000'000;
    return regex.find_all(text, steps);
}

std::vector<std::string> matches(std::string_view pattern, std::string_view text) {
    std::vector<std::string> out;
    for (const auto& match : find_all(Regex(pattern), text))
        out.emplace_back(text.substr(match.begin, match.end - match.begin));
    return out;
}

using Strings = std::vector<std::string>;

TEST(Regex, OrderedAlternativesAndBacktracking) {
    EXPECT_EQ(matches("a|ab", "abab"), (Strings{"a", "a"}));
    EXPECT_EQ(matches("a*ab", "aaab"), (Strings{"aaab"}));
    EXPECT_EQ(matches("a*+ab", "aaab"), (Strings{}));
    EXPECT_EQ(matches("(?>a|ab)c", "abc ac"), (Strings{"ac"}));
    EXPECT_EQ(matches("a+?", "aa"), (Strings{"a", "a"}));
    EXPECT_EQ(matches("(?:ab){2,3}", "ababababab"), (Strings{"ababab", "abab"}));
    EXPECT_EQ(matches(R"(\s+(?!\S)|\s+)", "   x "), (Strings{"  ", " ", " "}));
}

TEST(Regex, RubyMeaning) {
    EXPECT_EQ(matches("^b$", "a\nb\nc"), (Strings{"b"}));  // lines, not the text
    EXPECT_EQ(matches(".+", "a\nb"), (Strings{"a", "b"}));
    EXPECT_EQ(matches("[0-9]{1,3}+", "12345"), (Strings{"12345"}));  // (?:[0-9]{1,3})+, not possessive
    EXPECT_EQ(matches("(?i:'s|k)", "'S'\u017Fk\u212A"), (Strings{"'S", "'\u017F", "k", "\u212A"}));
    EXPECT_EQ(matches(R"(\w)", "\u00B2"), (Strings{"\u00B2"}));
    EXPECT_EQ(matches(R"([\w])", "\u00B2"), (Strings{}));
    EXPECT_EQ(matches("x*", "axa").size(), 3u);  // empty, x, empty
}

TEST(Regex, RefusedByName) {
    const std::pair<const char*, const char*> cases[] = {{R"((a)\1)", "\\1"},
                                                         {"(?<=a)b", "(?<="},
                                                         {"(?<n>a)", "(?<n"},
                                                         {R"(\bx)", "\\b"},
                                                         {"[a&&b]", "&&"},
                                                         {"[[:alpha:]]", "inside"},
                                                         {R"(\p{Han})", "Han"},
                                                         {"a**", "quantifier"},
                                                         {"(?:a*)*", "can be empty"},
                                                         {"(?i:straße)", "without"},
                                                         {"(?i:ss)", "without"},
                                                         {R"((?i:\p{L}))", "without"},
                                                         {"a{2}?", "{n}?"},
                                                         {R"(\Gx)", "\\G"},
                                                         {"(?m:.)", "(?m"},
                                                         {R"(\x80)", "x80"},
                                                         {"(?:(?:ab){1000}){1000}", "size"}};
    for (const auto& [pattern, name] : cases) {
        try {
            Regex{pattern};
            ADD_FAILURE() << pattern << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::unsupported) << pattern;
            EXPECT_NE(error.message().find(name), std::string::npos) << error.message();
        }
    }
}

TEST(Regex, BrokenPatternsAreErrors) {
    for (const char* pattern : {"(a", "a)", "[a", "*a", R"(\p{L)", "[z-a]", R"(\x{110000})", "\\"}) {
        try {
            Regex{pattern};
            ADD_FAILURE() << pattern << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::format) << pattern;
        }
    }
    EXPECT_THROW(Regex(std::string(5000, '(')), Error);
}

TEST(Regex, AHostilePatternStops) {
    EXPECT_THROW(find_all(Regex("(?:a+)+b"), std::string(64, 'a')), Error);
}

std::string random_text(std::mt19937& random) {
    const char* atoms[] = {" ", "  ",     "\n", "\t",     "\u3000", "\u0085", "'",   "'s", "'ll",   "'S",
                           "a", "Ab",     "é",  "가",     "힣",     "1",      "٣",   "²",  "!",     "?!",
                           "_", "\u0301", "😀",  "\u200d", "\x01",   "漢",     "'re", "'x", "\u2028"};
    std::string out;
    for (auto n = random() % 20; n > 0; --n) out += atoms[random() % std::size(atoms)];
    return out;
}

void expect_gpt2(const Regex& regex, std::string_view text) {
    std::size_t begin = 0;
    for (const auto& match : find_all(regex, text)) {
        ASSERT_EQ(match.begin, begin) << text;
        ASSERT_EQ(gpt2_match(text, begin), match.end) << text << " at " << begin;
        begin = match.end;
    }
    ASSERT_EQ(begin, text.size()) << text;
}

TEST(Regex, Gpt2PatternByHand) {
    const Regex regex(kGpt2Pattern);
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) expect_gpt2(regex, random_text(random));
    std::string text;  // every character, behind a letter, a number and a space
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        text += 'a';
        append_utf8(text, c);
        text += '1';
        append_utf8(text, c);
        text += ' ';
        append_utf8(text, c);
        if (c % 256 != 255) continue;
        expect_gpt2(regex, text);
        text.clear();
    }
}

TEST(Unicode, ClassesOfTheReferenceLibrary) {
    const Json classes = parse_json(read_file(kGolden / "unicode_classes.json"), "unicode_classes.json");
    std::vector<int> expected(0x110000);
    int bit = 1;
    for (const char* name : {"L", "N", "S"}) {
        for (const Json& range : classes[name]) {
            for (auto c = range[0].get<std::size_t>(); c <= range[1].get<std::size_t>(); ++c)
                expected[c] |= bit;
        }
        bit *= 2;
    }
    for (char32_t c = 0; c < 0x110000; ++c) {
        const int found = (unicode::in(c, unicode::kLetter) ? 1 : 0) +
                          (unicode::in(c, unicode::kNumber) ? 2 : 0) + (unicode::is_space(c) ? 4 : 0);
        ASSERT_EQ(found, expected[c]) << std::hex << static_cast<unsigned>(c);
    }
}

}  // namespace
}  // namespace mm
