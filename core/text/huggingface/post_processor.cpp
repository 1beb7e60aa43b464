#include "core/text/huggingface/post_processor.hpp"

#include <algorithm>
#include <utility>

#include "core/base/join.hpp"
#include "core/text/bpe.hpp"

namespace mm {

namespace {

constexpr std::uint64_t kMaxPadding = 1'000'000;
constexpr std::uint64_t kMaxLength = 0xFFFFFFFF;
// Templates in use have three pieces. Every text is written once for each that asks for it.
constexpr std::size_t kMaxPieces = 16;
constexpr std::size_t kMaxPieceIds = 1000;

}  // namespace

PostProcessor::PostProcessor(const JsonField& document) {
    if (!document.null_or_missing("post_processor")) add(document.at("post_processor"));
    if (!document.null_or_missing("truncation")) read_truncation(document.at("truncation"));
    if (!document.null_or_missing("padding")) read_padding(document.at("padding"));
}

TokenId PostProcessor::read_id(const JsonField& field) {
    const auto id = static_cast<TokenId>(field.number(Bpe::kMaxId));
    max_id_ = std::max(max_id_, id);
    return id;
}

void PostProcessor::add(const JsonField& field) {
    const std::string type = field.at("type").string();
    if (type == "Sequence") {
        const JsonField processors = field.at("processors");
        for (std::size_t i = 0; i < processors.size(); ++i) add(processors.item(i));
    } else if (type == "ByteLevel") {
        // Offsets only.
    } else if (type == "TemplateProcessing") {
        add_template(field);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
        add_around(field);
    } else {
        field.unsupported(join({"the post-processor ", type}));
    }
}

void PostProcessor::set_pieces(const JsonField& field, std::vector<Piece> pieces) {
    if (adds_) field.unsupported("a second post-processor that adds tokens");
    adds_ = true;
    pieces_ = std::move(pieces);
    for (const Piece& piece : pieces_) added_ += piece.ids.size();
}

void PostProcessor::add_template(const JsonField& field) {
    std::vector<Piece> pieces;
    const JsonField single = field.at("single");
    if (single.size() > kMaxPieces) single.fail(ErrorKind::tokenizer, "too many pieces");
    for (std::size_t i = 0; i < single.size(); ++i) {
        const JsonField item = single.item(i);
        if (item.has("Sequence")) {
            const JsonField id = item.at("Sequence").at("id");
            if (id.string() != "A")
                id.fail(ErrorKind::format, "only sequence A can stand in a template for one text");
            pieces.push_back({.text = true});
            continue;
        }
        const JsonField name = item.at("SpecialToken").at("id");
        const JsonField tokens = field.at("special_tokens");
        if (!tokens.has(name.string())) name.fail(ErrorKind::format, "is not among the special_tokens");
        const JsonField ids = tokens.at(name.string()).at("ids");
        if (ids.size() > kMaxPieceIds) ids.fail(ErrorKind::tokenizer, "too many ids");
        Piece piece;
        for (std::size_t k = 0; k < ids.size(); ++k) piece.ids.push_back(read_id(ids.item(k)));
        pieces.push_back(std::move(piece));
    }
    set_pieces(field, std::move(pieces));
}

/// BertProcessing and RobertaProcessing: cls, the text, sep; each is ["text", id].
void PostProcessor::add_around(const JsonField& field) {
    std::vector<Piece> pieces(3);
    pieces[1].text = true;
    const auto read = [&](const char* name) {
        const JsonField pair = field.at(name);
        if (pair.size() != 2) pair.fail(ErrorKind::format, "is not a token and its id");
        return std::vector<TokenId>{read_id(pair.item(1))};
    };
    pieces[0].ids = read("cls");
    pieces[2].ids = read("sep");
    set_pieces(field, std::move(pieces));
}

void PostProcessor::read_truncation(const JsonField& field) {
    Truncation truncation{};
    truncation.max_length = static_cast<std::size_t>(field.at("max_length").number(kMaxLength));
    const auto stride = static_cast<std::size_t>(field.at("stride").number(kMaxLength));
    const std::string direction = field.has("direction") ? field.at("direction").string() : "Right";
    if (direction != "Left" && direction != "Right")
        field.at("direction").fail(ErrorKind::format, "is not Left or Right");
    truncation.left = direction == "Left";
    const std::string strategy = field.at("strategy").string();
    truncation.longest = strategy == "LongestFirst";
    truncation.target = strategy == "OnlySecond" ? Truncation::second : Truncation::first;
    if (!truncation.longest && strategy != "OnlyFirst" && strategy != "OnlySecond") {
        field.at("strategy").unsupported(join({"the strategy ", strategy}));
    }
    // What the stride says concerns the overflowing rest, which is not kept here; it must still fit.
    if (truncation.max_length < added_ || (stride != 0 && stride >= truncation.max_length - added_)) {
        field.fail(ErrorKind::tokenizer, "max_length leaves no room for stride and special tokens");
    }
    truncation_ = truncation;
}

void PostProcessor::read_padding(const JsonField& field) {
    Padding padding{};
    const JsonField strategy = field.at("strategy");
    if (strategy.json().is_string()) {
        if (strategy.string() != "BatchLongest")
            strategy.unsupported(join({"the strategy ", strategy.string()}));
    } else {
        padding.fixed = static_cast<std::size_t>(strategy.at("Fixed").number(kMaxPadding));
    }
    if (!field.null_or_missing("pad_to_multiple_of")) {
        padding.multiple = static_cast<std::size_t>(field.at("pad_to_multiple_of").number(kMaxPadding));
    }
    const std::string direction = field.at("direction").string();
    if (direction != "Left" && direction != "Right")
        field.at("direction").fail(ErrorKind::format, "is not Left or Right");
    padding.left = direction == "Left";
    padding.id = read_id(field.at("pad_id"));
    padding_ = padding;
}

void PostProcessor::truncate(std::vector<TokenId>& ids, bool add_special_tokens) const {
    const std::size_t most = truncation_->max_length - (add_special_tokens ? added_ : 0);
    if (ids.size() <= most) return;
    if (most != 0 && !truncation_->longest && truncation_->target == Truncation::second) {
        throw_error(ErrorKind::tokenizer, "OnlySecond cannot shorten a single text",
                    {.field = "truncation.strategy"});
    }
    if (truncation_->left) {
        ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(most));
    } else {
        ids.resize(most);
    }
}

std::vector<TokenId> PostProcessor::apply(std::vector<TokenId> ids, bool add_special_tokens) const {
    if (truncation_) truncate(ids, add_special_tokens);
    std::vector<TokenId> out;
    if (pieces_.size() == 1 && pieces_[0].text) {
        out = std::move(ids);
    } else {
        for (const Piece& piece : pieces_) {
            const std::vector<TokenId>& part = piece.text ? ids : piece.ids;
            if (piece.text || add_special_tokens) out.insert(out.end(), part.begin(), part.end());
        }
    }
    if (padding_) {
        std::size_t length = padding_->fixed != 0 ? padding_->fixed : out.size();
        if (padding_->multiple != 0 && length % padding_->multiple != 0) {
            length += padding_->multiple - length % padding_->multiple;
        }
        if (out.size() < length) {
            out.insert(padding_->left ? out.begin() : out.end(), length - out.size(), padding_->id);
        }
    }
    return out;
}

}  // namespace mm
