// The `added_tokens` of tokenizer.json: texts that become one id wherever they stand, found before (or, with
// `normalized`, after) normalisation and never cut by the pre-tokenizer.
//
// As in the reference library the ids in the file are not used: a token that the model knows keeps the
// model's id, the others are numbered from the size of the model's vocabulary on.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/text/huggingface/normalizer.hpp"
#include "core/text/tokenizer_file.hpp"

namespace mm {

struct AddedToken {
    TokenId id = 0;
    std::string content;
    std::string
        matched;  // what is looked for and what decodes: the content, normalised if the token asks for it
    bool single_word = false;
    bool lstrip = false;
    bool rstrip = false;
    bool normalized = false;
    bool special = false;
};

/// A stretch of text between added tokens, or one of them.
struct Segment {
    std::string_view text;
    std::optional<TokenId> id;
};

/// Finds the longest of a set of strings at the leftmost place, again and again (Aho-Corasick's "leftmost
/// longest"), by a trie walked from every position.
class LongestMatcher {
  public:
    void add(std::string_view text, std::size_t value);
    bool empty() const { return nodes_.size() == 1; }
    struct Match {
        std::size_t begin;
        std::size_t end;
        std::size_t value;
    };
    /// The first match at or behind `from`.
    std::optional<Match> find(std::string_view text, std::size_t from) const;

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    struct Node {
        std::unordered_map<unsigned char, std::size_t> next;
        std::size_t value = kNone;
    };
    std::vector<Node> nodes_ = std::vector<Node>(1);
};

class AddedTokens {
  public:
    AddedTokens() = default;
    /// @param model_id the model's id of a string, if it has one.
    AddedTokens(const JsonField& field, const Normalizer& normalizer, std::size_t model_size,
                const std::function<std::optional<TokenId>(std::string_view)>& model_id);

    const std::vector<AddedToken>& all() const { return tokens_; }
    /// Whether `skip_special_tokens` drops a token that decodes to `text`.
    bool is_special(const std::string& text) const { return specials_.contains(text); }

    /// Cuts text that is not normalised yet by the tokens with `normalized` false.
    std::vector<Segment> split_raw(std::string_view text) const { return split(text, raw_); }
    /// Cuts normalised text by the tokens with `normalized` true.
    std::vector<Segment> split_normalized(std::string_view text) const { return split(text, normalized_); }

  private:
    std::vector<Segment> split(std::string_view text, const LongestMatcher& matcher) const;
    void index(const JsonField& field);

    std::vector<AddedToken> tokens_;  // one for each id
    std::unordered_set<std::string> specials_;
    LongestMatcher raw_;
    LongestMatcher normalized_;
};

}  // namespace mm
