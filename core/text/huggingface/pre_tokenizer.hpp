// The `pre_tokenizer` of tokenizer.json: cuts normalised text into the words that merging never crosses.
//
// Supported: ByteLevel, Split (String and Regex, all behaviours, invert), Digits, Punctuation, Whitespace,
// WhitespaceSplit, BertPreTokenizer, CharDelimiterSplit, FixedLength, Sequence. Refused by name: Metaspace,
// UnicodeScripts and whatever else comes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/huggingface/regex.hpp"
#include "core/text/text_limits.hpp"
#include "core/text/tokenizer_file.hpp"

namespace mm {

/// Pieces of a text in order. Steps that change characters put the new ones into `owned`.
struct Pieces {
    std::vector<std::string_view> views;
    std::deque<std::string> owned;
};

class PreTokenizer {
  public:
    PreTokenizer() = default;  // one piece
    explicit PreTokenizer(const JsonField& field) { add(field); }

    /// The pieces of `text`, none empty. They point into `text` and into themselves.
    /// @throws Error{tokenizer, unsupported} when they grow, or a search takes, more than `limits` says
    Pieces apply(std::string_view text, TextLimits& limits) const;

    enum class Behavior : std::uint8_t {
        removed,
        isolated,
        merged_with_previous,
        merged_with_next,
        contiguous
    };

  private:
    enum class Kind : std::uint8_t {
        byte_level,
        split_regex,
        split_string,
        digits,
        punctuation,
        words,
        not_space,
        delimiter,
        fixed_length
    };
    struct Step {
        Kind kind;
        bool add_prefix_space = false;
        bool use_regex = true;
        Behavior behavior = Behavior::isolated;
        bool invert = false;
        std::string pattern = {};
        std::shared_ptr<const Regex> regex = {};
        char32_t delimiter = 0;
        std::size_t length = 0;
        std::string field = {};
    };

    void add(const JsonField& field);
    void add_split(const JsonField& field);
    static Behavior read_behavior(const JsonField& field);
    static void run(const Step& step, Pieces& pieces, TextLimits& limits);
    static void byte_level(const Step& step, Pieces& pieces, std::size_t most);

    std::vector<Step> steps_;
};

}  // namespace mm
