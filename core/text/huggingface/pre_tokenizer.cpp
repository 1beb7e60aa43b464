#include "core/text/huggingface/pre_tokenizer.hpp"

#include <algorithm>
#include <utility>

#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/text/byte_alphabet.hpp"
#include "core/text/gpt2_pattern.hpp"
#include "core/text/huggingface/normalizer.hpp"
#include "core/text/unicode.hpp"

namespace mm {

namespace {

/// A stretch of the text, and whether the pattern matched it. Spans cover the text without gaps.
struct Span {
    std::size_t begin;
    std::size_t end;
    bool match;
};

std::vector<Span> cover(std::string_view text, const std::vector<Regex::Match>& matches) {
    std::vector<Span> spans;
    spans.reserve(matches.size());
    std::size_t at = 0;
    for (const Regex::Match& match : matches) {
        if (at != match.begin) spans.push_back({at, match.begin, false});
        spans.push_back({match.begin, match.end, true});
        at = match.end;
    }
    if (at != text.size()) spans.push_back({at, text.size(), false});
    return spans;
}

/// Every single character that satisfies the predicate is a match of its own.
template <typename Predicate>
std::vector<Span> find_characters(std::string_view text, const Predicate& predicate) {
    std::vector<Span> spans;
    std::size_t at = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        if (!predicate(next_code_point(text, i))) continue;
        if (at < begin) spans.push_back({at, begin, false});
        spans.push_back({begin, i, true});
        at = i;
    }
    if (at < text.size()) spans.push_back({at, text.size(), false});
    return spans;
}

/// \w+|[^\w\s]+ of the Rust regex crate.
std::vector<Span> find_words(std::string_view text) {
    enum Class { space, word, other };
    const auto class_of = [](char32_t c) {
        if (unicode::is_rust_word(c)) return word;
        return unicode::is_space(c) ? space : other;
    };
    std::vector<Span> spans;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        const Class first = class_of(next_code_point(text, i));
        for (std::size_t next = i; next < text.size() && class_of(next_code_point(text, next)) == first;)
            i = next;
        spans.push_back({begin, i, first != space});
    }
    return spans;
}

std::vector<Regex::Match> find_string(std::string_view text, std::string_view pattern) {
    std::vector<Regex::Match> matches;
    for (std::size_t at = 0; (at = text.find(pattern, at)) != std::string_view::npos; at += pattern.size()) {
        matches.push_back({at, at + pattern.size()});
    }
    return matches;
}

/// What the spans become under a behaviour (the library's NormalizedString::split), appended to `out`.
void split(std::string_view text, std::vector<Span> spans, PreTokenizer::Behavior behavior,
           std::vector<std::string_view>& out) {
    using Behavior = PreTokenizer::Behavior;
    std::vector<Span> kept;
    bool previous_match = false;
    switch (behavior) {
        case Behavior::isolated:
            kept = std::move(spans);
            break;
        case Behavior::removed:
            for (const Span& span : spans) {
                if (!span.match) kept.push_back(span);
            }
            break;
        case Behavior::contiguous:
            for (const Span& span : spans) {
                if (span.match == previous_match && !kept.empty())
                    kept.back().end = span.end;
                else
                    kept.push_back(span);
                previous_match = span.match;
            }
            break;
        case Behavior::merged_with_previous:
            for (const Span& span : spans) {
                if (span.match && !previous_match && !kept.empty())
                    kept.back().end = span.end;
                else
                    kept.push_back(span);
                previous_match = span.match;
            }
            break;
        case Behavior::merged_with_next:
            for (std::size_t i = spans.size(); i-- > 0;) {
                const Span& span = spans[i];
                if (span.match && !previous_match && !kept.empty())
                    kept.back().begin = span.begin;
                else
                    kept.push_back(span);
                previous_match = span.match;
            }
            std::reverse(kept.begin(), kept.end());
            break;
    }
    for (const Span& span : kept) {
        if (span.begin < span.end) out.push_back(text.substr(span.begin, span.end - span.begin));
    }
}

}  // namespace

void PreTokenizer::add(const JsonField& field) {
    constexpr std::size_t kMaxSteps = 64;
    if (steps_.size() == kMaxSteps) field.fail(ErrorKind::tokenizer, "too many pre-tokenizers");
    const std::string type = field.at("type").string();
    if (type == "Sequence") {
        const JsonField steps = field.at("pretokenizers");
        for (std::size_t i = 0; i < steps.size(); ++i) add(steps.item(i));
    } else if (type == "ByteLevel") {
        steps_.push_back({.kind = Kind::byte_level,
                          .add_prefix_space = field.at("add_prefix_space").boolean(),
                          .use_regex = field.boolean_or("use_regex", true)});
    } else if (type == "Split") {
        add_split(field);
    } else if (type == "Digits") {
        const bool individual = field.at("individual_digits").boolean();
        steps_.push_back(
            {.kind = Kind::digits, .behavior = individual ? Behavior::isolated : Behavior::contiguous});
    } else if (type == "Punctuation") {
        Step step{.kind = Kind::punctuation};
        if (field.has("behavior")) step.behavior = read_behavior(field.at("behavior"));
        steps_.push_back(std::move(step));
    } else if (type == "Whitespace") {
        steps_.push_back({.kind = Kind::words, .behavior = Behavior::removed, .invert = true});
    } else if (type == "WhitespaceSplit") {
        steps_.push_back({.kind = Kind::not_space, .behavior = Behavior::removed});
    } else if (type == "BertPreTokenizer") {
        steps_.push_back({.kind = Kind::not_space, .behavior = Behavior::removed});
        steps_.push_back({.kind = Kind::punctuation});
    } else if (type == "CharDelimiterSplit") {
        const std::string delimiter = field.at("delimiter").string();
        std::size_t size = 0;
        const char32_t c = delimiter.empty() ? 0 : next_code_point(delimiter, size);
        if (size != delimiter.size() || size == 0)
            field.fail(ErrorKind::format, "the delimiter is not one character");
        steps_.push_back({.kind = Kind::delimiter, .behavior = Behavior::removed, .delimiter = c});
    } else if (type == "FixedLength") {
        const std::size_t length =
            field.has("length") ? static_cast<std::size_t>(field.at("length").number(0xFFFFFFFF)) : 5;
        if (length == 0) field.at("length").fail(ErrorKind::format, "is 0");
        steps_.push_back({.kind = Kind::fixed_length, .length = length});
    } else {
        field.unsupported(join({"the pre-tokenizer ", type}));
    }
}

PreTokenizer::Behavior PreTokenizer::read_behavior(const JsonField& field) {
    const std::string name = field.string();
    constexpr std::pair<std::string_view, Behavior> kNames[] = {
        {"Removed", Behavior::removed},
        {"Isolated", Behavior::isolated},
        {"MergedWithPrevious", Behavior::merged_with_previous},
        {"MergedWithNext", Behavior::merged_with_next},
        {"Contiguous", Behavior::contiguous}};
    for (const auto& [known, behavior] : kNames) {
        if (name == known) return behavior;
    }
    field.unsupported(join({"the behavior ", name}));
}

void PreTokenizer::add_split(const JsonField& field) {
    const JsonField pattern = field.at("pattern");
    Step step{.kind = Kind::split_string,
              .behavior = read_behavior(field.at("behavior")),
              .invert = field.at("invert").boolean(),
              .field = pattern.path()};
    if (pattern.has("String")) {
        step.pattern = pattern.at("String").string();
        if (step.pattern.empty()) {  // matches between all characters
            step.kind = Kind::split_regex;
            step.regex = std::make_shared<const Regex>("");
        }
    } else {
        step.kind = Kind::split_regex;
        step.regex = read_regex(pattern.at("Regex"));
    }
    steps_.push_back(std::move(step));
}

void PreTokenizer::byte_level(const Step& step, Pieces& pieces, std::size_t most) {
    std::vector<std::string_view> words;
    std::size_t bytes = 0;
    for (std::string_view piece : pieces.views) {
        if (step.add_prefix_space && !piece.starts_with(' ')) {
            piece = pieces.owned.emplace_back(" ").append(piece);
        }
        bytes += piece.size();
        TextLimits::check(bytes, most);
        if (!step.use_regex) {
            words.push_back(piece);
            continue;
        }
        for (std::size_t begin = 0; begin < piece.size();) {
            const std::size_t end = gpt2_match(piece, begin);
            words.push_back(piece.substr(begin, end - begin));
            begin = end;
        }
    }
    std::string& mapped = pieces.owned.emplace_back();
    mapped.reserve(2 * bytes);  // never exceeded, so the views stay
    pieces.views.clear();
    for (const std::string_view word : words) {
        const std::size_t begin = mapped.size();
        append_in_alphabet(mapped, word);
        pieces.views.push_back(std::string_view(mapped).substr(begin));
    }
    TextLimits::check(mapped.size(), most);
    while (pieces.owned.size() > 1) pieces.owned.pop_front();  // all views are of `mapped` now
}

void PreTokenizer::run(const Step& step, Pieces& pieces, TextLimits& limits) {
    if (step.kind == Kind::byte_level) {
        byte_level(step, pieces, limits.pieces);
        return;
    }
    std::vector<std::string_view> out;
    for (const std::string_view piece : pieces.views) {
        std::vector<Span> spans;
        switch (step.kind) {
            case Kind::byte_level:
                break;
            case Kind::split_regex:
                spans = cover(piece, step.regex->find_all(piece, limits.regex_steps));
                break;
            case Kind::split_string:
                spans = cover(piece, find_string(piece, step.pattern));
                break;
            case Kind::digits:
                spans = find_characters(piece, unicode::is_rust_numeric);
                break;
            case Kind::punctuation:
                spans = find_characters(piece, unicode::is_punctuation);
                break;
            case Kind::words:
                spans = find_words(piece);
                break;
            case Kind::not_space:
                spans = find_characters(piece, unicode::is_space);
                break;
            case Kind::delimiter:
                spans = find_characters(piece, [&](char32_t c) { return c == step.delimiter; });
                break;
            case Kind::fixed_length:
                for (std::size_t begin = 0; begin < piece.size(); begin = spans.back().end) {
                    std::size_t end = begin;
                    for (std::size_t i = 0; i < step.length && end < piece.size(); ++i)
                        next_code_point(piece, end);
                    spans.push_back({begin, end, false});
                }
                break;
        }
        if (step.invert) {
            for (Span& span : spans) span.match = !span.match;
        }
        split(piece, std::move(spans), step.behavior, out);
    }
    pieces.views = std::move(out);
}

Pieces PreTokenizer::apply(std::string_view text, TextLimits& limits) const {
    Pieces pieces;
    if (!text.empty()) pieces.views.push_back(text);
    for (const Step& step : steps_) {
        try {
            run(step, pieces, limits);
        } catch (const Error& error) {
            throw_error(error.kind(), error.message(), {.field = step.field});
        }
    }
    std::size_t bytes = 0;
    for (const std::string_view piece : pieces.views) bytes += piece.size();
    TextLimits::take(bytes, limits.pieces);
    return pieces;
}

}  // namespace mm
