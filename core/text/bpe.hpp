// The `model` of tokenizer.json: byte-pair encoding of one word. The word is text in whatever alphabet the
// pre-tokenizer left it in (for byte-level BPE: one character a byte).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/text/tokenizer_file.hpp"

namespace mm {

class Bpe {
  public:
    /// Largest id a vocabulary may have.
    static constexpr std::uint64_t kMaxId = (1u << 24) - 1;

    Bpe() = default;
    /// Takes vocabulary and merges out of `file`.
    /// @throws Error{unsupported} for other models and dropout, Error{tokenizer} for ids given twice and
    /// merges of or to tokens that the vocabulary does not have.
    Bpe(TokenizerFile& file, const std::string& name);

    Bpe(Bpe&&) = default;
    Bpe& operator=(Bpe&&) = default;

    /// Words already done, in one call; never shared between threads.
    struct Cache {
        std::unordered_map<std::string, std::vector<TokenId>> words;
    };

    /// Appends the ids of one word. @throws Error{tokenizer} if `unk_token` is needed but not in the
    /// vocabulary.
    void encode(std::string_view word, std::vector<TokenId>& out, Cache& cache) const;

    std::size_t size() const { return tokens_.size(); }
    std::optional<TokenId> token_to_id(std::string_view token) const;
    struct Token {
        std::string text;
        TokenId id;
    };
    const std::vector<Token>& tokens() const { return tokens_; }

  private:
    struct Merge {
        std::uint32_t rank;
        TokenId id;
    };
    struct Symbol {
        TokenId id;
        std::int32_t previous;
        std::int32_t next;
        bool gone;
    };

    static std::uint64_t pair(TokenId a, TokenId b) {
        return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
    }
    void read_fields(const JsonField& model);
    void read_merges(TokenizerFile& file, const std::string& name);
    std::optional<TokenId> symbol_id(std::string_view character, bool first, bool last) const;
    std::vector<TokenId> symbols(std::string_view word) const;
    void merge(std::vector<TokenId>& ids) const;

    std::vector<Token> tokens_;
    std::unordered_map<std::string_view, TokenId> ids_;  // keys point into tokens_
    std::array<TokenId, 512> characters_{};              // ids of single characters below U+0200; −1: none
    std::unordered_map<std::uint64_t, Merge> merges_;
    std::optional<std::string> unk_token_;
    std::string prefix_;  // continuing_subword_prefix
    std::string suffix_;  // end_of_word_suffix
    bool fuse_unk_ = false;
    bool byte_fallback_ = false;
    bool ignore_merges_ = false;
};

}  // namespace mm
