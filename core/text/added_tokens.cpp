#include "core/text/added_tokens.hpp"

#include <algorithm>
#include <utility>

#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/text/unicode.hpp"

namespace mm {

namespace {

constexpr std::size_t kMaxContent = 1024;  // bytes; bounds the walk from each position
constexpr std::size_t kMaxTokens = 100'000;
constexpr std::size_t kMaxTotal = 1'000'000;  // bytes of all contents; a trie node is about a hundred
constexpr std::uint64_t kAnyId = 0xFFFFFFFF;

AddedToken read_token(const JsonField& field) {
    static_cast<void>(field.at("id").number(kAnyId));  // must be there, is not used
    AddedToken token;
    token.content = field.at("content").string();
    if (token.content.size() > kMaxContent) {
        field.at("content").fail(ErrorKind::tokenizer, join({"is longer than ", kMaxContent, " bytes"}));
    }
    token.single_word = field.at("single_word").boolean();
    token.lstrip = field.at("lstrip").boolean();
    token.rstrip = field.at("rstrip").boolean();
    token.normalized = field.at("normalized").boolean();
    token.special = field.at("special").boolean();
    return token;
}

bool same_token(const AddedToken& a, const AddedToken& b) {
    return a.content == b.content && a.single_word == b.single_word && a.lstrip == b.lstrip &&
           a.rstrip == b.rstrip && a.normalized == b.normalized && a.special == b.special;
}

std::string normalized(const std::string& content, const Normalizer& normalizer) {
    TextLimits limits(content.size());
    return normalizer.apply(content, limits);
}

bool word_before(std::string_view text, std::size_t position) {
    return position > 0 && unicode::is_rust_word(previous_code_point(text, position));
}

bool word_behind(std::string_view text, std::size_t position) {
    return position < text.size() && unicode::is_rust_word(next_code_point(text, position));
}

std::size_t skip_space_left(std::string_view text, std::size_t position, std::size_t least) {
    while (position > least) {
        std::size_t previous = position;
        if (!unicode::is_space(previous_code_point(text, previous))) break;
        position = previous;
    }
    return position;
}

std::size_t skip_space_right(std::string_view text, std::size_t position) {
    while (position < text.size()) {
        std::size_t next = position;
        if (!unicode::is_space(next_code_point(text, next))) break;
        position = next;
    }
    return position;
}

}  // namespace

void LongestMatcher::add(std::string_view text, std::size_t value) {
    std::size_t node = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const auto found = nodes_[node].next.find(byte);
        if (found != nodes_[node].next.end()) {
            node = found->second;
            continue;
        }
        nodes_[node].next[byte] = nodes_.size();
        node = nodes_.size();
        nodes_.emplace_back();
    }
    nodes_[node].value = value;
}

std::optional<LongestMatcher::Match> LongestMatcher::find(std::string_view text, std::size_t from) const {
    for (std::size_t begin = from; begin < text.size(); ++begin) {
        std::optional<Match> best;
        std::size_t node = 0;
        for (std::size_t i = begin; i < text.size(); ++i) {
            const auto found = nodes_[node].next.find(static_cast<unsigned char>(text[i]));
            if (found == nodes_[node].next.end()) break;
            node = found->second;
            if (nodes_[node].value != kNone) best = Match{begin, i + 1, nodes_[node].value};
        }
        if (best) return best;
    }
    return std::nullopt;
}

AddedTokens::AddedTokens(const JsonField& field, const Normalizer& normalizer, std::size_t model_size,
                         const std::function<std::optional<TokenId>(std::string_view)>& model_id) {
    if (field.size() > kMaxTokens) field.fail(ErrorKind::tokenizer, join({"more than ", kMaxTokens}));
    std::unordered_map<std::string, std::size_t> by_content;  // index into tokens_
    auto next_id = static_cast<TokenId>(model_size);
    std::size_t total = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
        AddedToken token = read_token(field.item(i));
        if (token.content.empty()) continue;
        if ((total += token.content.size()) > kMaxTotal)
            field.fail(ErrorKind::tokenizer, "more than 1 MB of contents");
        const auto known = by_content.find(token.content);
        if (known != by_content.end() && same_token(tokens_[known->second], token)) continue;
        if (token.special) specials_.insert(token.content);
        token.matched = token.normalized ? normalized(token.content, normalizer) : token.content;
        if (known != by_content.end()) {
            AddedToken& earlier = tokens_[known->second];
            token.id = earlier.id;
            // The library keeps the normalised text of an earlier entry for decoding, whatever the later one
            // says.
            if (!token.normalized && earlier.normalized) {
                field.item(i).fail(ErrorKind::unsupported, "the token is given twice with different flags");
            }
            earlier = std::move(token);
            continue;
        }
        const std::optional<TokenId> id = model_id(token.content);
        token.id = id ? *id : next_id++;
        by_content.emplace(token.content, tokens_.size());
        tokens_.push_back(std::move(token));
    }
    index(field);
}

void AddedTokens::index(const JsonField& field) {
    std::unordered_set<std::string_view> seen;
    std::unordered_set<TokenId> ids;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const AddedToken& token = tokens_[i];
        if (!ids.insert(token.id).second) {
            field.fail(ErrorKind::tokenizer, join({"two tokens get the id ", token.id}));
        }
        if (token.matched.size() > kMaxContent) {
            field.fail(ErrorKind::tokenizer, join({"a token is too long once normalised: id ", token.id}));
        }
        if (token.matched.empty() || (token.normalized && !seen.insert(token.matched).second)) {
            field.fail(ErrorKind::tokenizer,
                       join({"a token is empty, or equal to another, once normalised: id ", token.id}));
        }
        (token.normalized ? normalized_ : raw_).add(token.matched, i);
    }
}

/// The library's AddedVocabulary::find_matches, step by step: stripping moves the cuts but not the search, so
/// a match may begin inside white space that the one before has taken.
std::vector<Segment> AddedTokens::split(std::string_view text, const LongestMatcher& matcher) const {
    std::vector<Segment> out;
    if (text.empty()) return out;
    std::size_t done = 0;
    std::size_t space_end = 0;  // of the white space that the last rstrip took
    for (std::size_t from = 0;;) {
        const auto match = matcher.empty() ? std::nullopt : matcher.find(text, from);
        if (!match) break;
        from = match->end;
        const AddedToken& token = tokens_[match->value];
        if (token.single_word && (word_before(text, match->begin) || word_behind(text, match->end))) continue;
        std::size_t begin = match->begin;
        std::size_t end = match->end;
        // White space is walked once, however many tokens stand in it.
        if (token.lstrip) begin = std::max(skip_space_left(text, begin, std::min(begin, done)), done);
        if (token.rstrip) end = space_end = skip_space_right(text, std::max(end, space_end));
        if (begin > end) {
            throw_error(ErrorKind::tokenizer,
                        join({"white space of one added token is taken by another's rstrip: id ", token.id}),
                        {.field = "added_tokens"});
        }
        if (done < begin) out.push_back({text.substr(done, begin - done), std::nullopt});
        if (begin < end) out.push_back({{}, token.id});  // else nothing of it is left
        done = end;
    }
    if (done != text.size()) out.push_back({text.substr(done), std::nullopt});
    return out;
}

}  // namespace mm
