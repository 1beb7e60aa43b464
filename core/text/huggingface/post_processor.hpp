// What happens to the ids of a text at the end: `truncation`, `post_processor`, `padding` of tokenizer.json,
// in this order, as the reference library applies them to one text.
//
// Supported processors: ByteLevel (which changes offsets only, so nothing here), TemplateProcessing,
// BertProcessing, RobertaProcessing, Sequence with at most one that adds ids. Others are refused by name.
// Only single texts exist here: pair templates are not read.
#pragma once

#include <optional>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/text/tokenizer_file.hpp"

namespace mm {

class PostProcessor {
  public:
    PostProcessor() = default;
    /// @param document the whole of tokenizer.json's small tree.
    explicit PostProcessor(const JsonField& document);

    /// @throws Error{tokenizer} if truncation is set to a strategy that cannot shorten this text.
    std::vector<TokenId> apply(std::vector<TokenId> ids, bool add_special_tokens) const;

    /// The largest id it may add; −1 if none.
    TokenId max_id() const { return max_id_; }

  private:
    /// Ids to add, or the place of the text itself.
    struct Piece {
        bool text = false;
        std::vector<TokenId> ids = {};
    };
    struct Truncation {
        std::size_t max_length;
        bool left;
        enum { first, second } target;  // longest_first is the same as only_first for one text
        bool longest;
    };
    struct Padding {
        std::size_t fixed;  // 0: to the longest of the batch, which is this text
        std::size_t multiple;
        bool left;
        TokenId id;
    };

    void add(const JsonField& field);
    void add_template(const JsonField& field);
    void add_around(const JsonField& field);
    void read_truncation(const JsonField& field);
    void read_padding(const JsonField& field);
    void set_pieces(const JsonField& field, std::vector<Piece> pieces);
    TokenId read_id(const JsonField& field);
    void truncate(std::vector<TokenId>& ids, bool add_special_tokens) const;

    std::vector<Piece> pieces_ = {{.text = true}};
    bool adds_ = false;      // a processor with a template has been read
    std::size_t added_ = 0;  // ids it adds
    std::optional<Truncation> truncation_;
    std::optional<Padding> padding_;
    TokenId max_id_ = -1;
};

}  // namespace mm
