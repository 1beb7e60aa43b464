// The `normalizer` of tokenizer.json: a chain of text → text steps.
//
// Supported: NFC, NFD, NFKC, NFKD, Lowercase, Strip, Prepend, Replace (String and Regex), ByteLevel,
// Sequence. Refused by name: BertNormalizer, StripAccents, Nmt, Precompiled and whatever else comes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/huggingface/regex.hpp"
#include "core/text/text_limits.hpp"
#include "core/text/tokenizer_file.hpp"

namespace mm {

class Normalizer {
  public:
    Normalizer() = default;  // changes nothing
    explicit Normalizer(const JsonField& field) { add(field); }

    bool empty() const { return steps_.empty(); }
    /// @throws Error{tokenizer, unsupported} when the text grows, or a search takes, more than `limits` says
    std::string apply(std::string_view text, TextLimits& limits) const;

  private:
    enum class Kind {
        nfc,
        nfd,
        nfkc,
        nfkd,
        lowercase,
        strip,
        prepend,
        replace_string,
        replace_regex,
        byte_level
    };
    struct Step {
        Kind kind;
        std::string pattern = {};
        std::string content = {};
        bool left = false;
        bool right = false;
        std::shared_ptr<const Regex> regex = {};
        std::string field = {};
    };

    void add(const JsonField& field);
    static std::string run(const Step& step, std::string text, TextLimits& limits);

    std::vector<Step> steps_;
};

/// A regular expression of the file; its errors name the field.
std::shared_ptr<const Regex> read_regex(const JsonField& field);

}  // namespace mm
