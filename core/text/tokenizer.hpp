// Text ↔ token ids, as Hugging Face's Rust library `tokenizers` (0.23) does it for byte-level BPE
// tokenizer.json files. The one entrance to this layer:
//
//     text → added tokens cut out → normalizer → pre-tokenizer → BPE → post-processor → ids
//     ids → bytes of their tokens, joined → text, broken UTF-8 mended
//
// What a file asks for is done exactly or refused by name when the file is read.
// huggingface/ holds what files of the Hub may ask for around byte-level BPE; its normalizers, patterns,
// templates, truncation and padding run only when the file names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/base/utf8.hpp"

namespace mm {

class StreamDecoder;

/// Immutable; copies share everything; all members may be called from several threads at once.
class Tokenizer {
  public:
    /// Reads the text of a tokenizer.json.
    /// @param file names the file in errors.
    /// @throws Error{format} for what is not such a file, Error{unsupported} for what it asks for and we do
    /// not do, Error{tokenizer} for contents that contradict each other; each names file and field.
    static Tokenizer from_json(std::string_view json, const std::string& file);

    /// Ids of a text. `truncation` and `padding` of the file apply, as in the library.
    /// @param text UTF-8. @param add_special_tokens whether the post-processor adds its tokens; added tokens
    /// in the text are always found.
    /// @throws Error{format} naming the first byte that is not UTF-8; Error{tokenizer}, Error{unsupported} if
    /// the file's rules cannot treat this text (no unk_token where one is needed, a pattern that takes too
    /// long).
    std::vector<TokenId> encode(std::string_view text, bool add_special_tokens = true) const;

    /// Text of ids. Ids without a token add nothing.
    /// @param skip_special_tokens leave out added tokens with `special`.
    std::string decode(std::span<const TokenId> ids, bool skip_special_tokens = false) const;

    /// Tokens of model and added tokens together (HF get_vocab_size(with_added_tokens=True)).
    std::size_t vocab_size() const;
    /// The largest id `encode` can return.
    TokenId max_id() const;
    /// Why these tokens do not suit a model: "has id 99, which FILE with its 90 ids does not have"; empty
    /// when they do.
    std::string misfit(std::int64_t vocab_size, const std::string& checkpoint) const;
    std::optional<TokenId> token_to_id(std::string_view token) const;
    /// The vocabulary's string in the byte alphabet; an added token's content; empty for an id without a
    /// token.
    std::string piece(TokenId id) const;
    /// The bytes an id adds to a decode; may be part of a character.
    std::string bytes(TokenId id) const;
    /// Whether `skip_special_tokens` leaves this id out.
    bool is_special(TokenId id) const;

    /// A decoder for ids that come one by one. It may outlive this object.
    StreamDecoder stream(bool skip_special_tokens = false) const;

  private:
    struct Parts;
    explicit Tokenizer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

    std::shared_ptr<const Parts> parts_;
};

/// Text of ids as they come: what is certain comes out at once, the bytes of a character that may still be
/// completed are held, bytes that nothing can mend become U+FFFD at once. All pushes and the flush joined
/// equal the decode.
class StreamDecoder {
  public:
    StreamDecoder(Tokenizer tokenizer, bool skip_special_tokens)
        : tokenizer_(std::move(tokenizer)), skip_special_tokens_(skip_special_tokens) {}

    std::string push(TokenId id);
    /// Held bytes as one U+FFFD; then the decoder is as new.
    std::string flush() { return mender_.flush(); }

  private:
    Tokenizer tokenizer_;
    bool skip_special_tokens_;
    Utf8Mender mender_;
};

}  // namespace mm
