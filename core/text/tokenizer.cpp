#include "core/text/tokenizer.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/text/added_tokens.hpp"
#include "core/text/bpe.hpp"
#include "core/text/byte_alphabet.hpp"
#include "core/text/huggingface/normalizer.hpp"
#include "core/text/huggingface/post_processor.hpp"
#include "core/text/huggingface/pre_tokenizer.hpp"
#include "core/text/tokenizer_file.hpp"

namespace mm {

namespace {

/// Decoders: ByteLevel, alone or in a Sequence in which only Fuse may follow (it joins what is one already).
void check_decoder(const JsonField& document) {
    if (document.null_or_missing("decoder")) {
        document.fail(ErrorKind::unsupported, "decoder: a file without a decoder is not supported");
    }
    const JsonField decoder = document.at("decoder");
    const std::string type = decoder.at("type").string();
    if (type == "ByteLevel") return;
    if (type != "Sequence") decoder.unsupported(join({"the decoder ", type}));
    const JsonField decoders = decoder.at("decoders");
    if (decoders.size() == 0) decoders.unsupported("an empty Sequence");
    for (std::size_t i = 0; i < decoders.size(); ++i) {
        const JsonField item = decoders.item(i);
        const std::string name = item.at("type").string();
        if (name != (i == 0 ? "ByteLevel" : "Fuse"))
            item.unsupported(join({"the decoder ", name, " at this place"}));
    }
}

}  // namespace

struct Tokenizer::Parts {
    struct Entry {
        std::string piece;
        std::string bytes;
        bool special = false;
    };

    std::string file;
    Bpe model;
    Normalizer normalizer;
    PreTokenizer pre_tokenizer;
    AddedTokens added;
    PostProcessor post_processor;
    std::vector<Entry> entries;
    std::vector<std::int32_t> entry_of_id;  // −1: no token has this id
    std::size_t vocab_size = 0;
    TokenId max_id = -1;

    const Entry* entry(TokenId id) const {
        if (id < 0 || static_cast<std::size_t>(id) >= entry_of_id.size()) return nullptr;
        const std::int32_t index = entry_of_id[static_cast<std::size_t>(id)];
        return index < 0 ? nullptr : &entries[static_cast<std::size_t>(index)];
    }

    /// @param decoded what the decoder gets to see: `piece`, or the normalised content of an added token.
    void set_entry(TokenId id, const std::string& piece, const std::string& decoded) {
        Entry entry{.piece = piece, .bytes = alphabet_to_bytes(decoded).value_or(decoded)};
        entry.special = added.is_special(decoded);
        const auto at = static_cast<std::size_t>(id);
        if (at >= entry_of_id.size()) entry_of_id.resize(at + 1, -1);
        if (entry_of_id[at] >= 0) {
            entries[static_cast<std::size_t>(entry_of_id[at])] = std::move(entry);
            return;
        }
        entry_of_id[at] = static_cast<std::int32_t>(entries.size());
        entries.push_back(std::move(entry));
        max_id = std::max(max_id, id);
    }

    void fill_entries() {
        max_id = post_processor.max_id();
        vocab_size = model.size();
        for (const Bpe::Token& token : model.tokens()) set_entry(token.id, token.text, token.text);
        for (const AddedToken& token : added.all()) {
            if (!model.token_to_id(token.content)) ++vocab_size;
            set_entry(token.id, token.content, token.matched);
        }
    }

    std::vector<TokenId> encode(std::string_view text) const {
        std::vector<TokenId> ids;
        Bpe::Cache cache;
        TextLimits limits(text.size());
        for (const Segment& raw : added.split_raw(text)) {
            if (raw.id) {
                ids.push_back(*raw.id);
                continue;
            }
            std::string normalized;
            std::string_view part = raw.text;
            if (!normalizer.empty()) part = normalized = normalizer.apply(raw.text, limits);
            for (const Segment& segment : added.split_normalized(part)) {
                if (segment.id) {
                    ids.push_back(*segment.id);
                    continue;
                }
                const Pieces pieces = pre_tokenizer.apply(segment.text, limits);
                for (const std::string_view piece : pieces.views) {
                    model.encode(piece, ids, cache);
                    TextLimits::check(ids.size(), limits.ids);
                }
            }
        }
        return ids;
    }
};

Tokenizer Tokenizer::from_json(std::string_view json, const std::string& file) {
    try {
        TokenizerFile content = read_tokenizer_file(json, file);
        const JsonField document(content.rest, file);
        if (!document.null_or_missing("version") && document.at("version").string() != "1.0") {
            document.at("version").unsupported(join({"version ", document.at("version").string()}));
        }
        auto parts = std::make_shared<Parts>();
        parts->file = file;
        parts->model = Bpe(content, file);
        if (!document.null_or_missing("normalizer"))
            parts->normalizer = Normalizer(document.at("normalizer"));
        if (!document.null_or_missing("pre_tokenizer")) {
            parts->pre_tokenizer = PreTokenizer(document.at("pre_tokenizer"));
        }
        check_decoder(document);
        if (!document.null_or_missing("added_tokens")) {
            parts->added =
                AddedTokens(document.at("added_tokens"), parts->normalizer, parts->model.size(),
                            [&](std::string_view token) { return parts->model.token_to_id(token); });
        }
        parts->post_processor = PostProcessor(document);
        parts->fill_entries();
        return Tokenizer(std::move(parts));
    } catch (const Error& error) {
        throw error.with_file(file);
    }
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, bool add_special_tokens) const {
    const std::size_t invalid = find_invalid_utf8(text);
    if (invalid != std::string_view::npos) {
        throw_error(ErrorKind::format, join({"the text is not valid UTF-8 at byte ", invalid}));
    }
    try {
        return parts_->post_processor.apply(parts_->encode(text), add_special_tokens);
    } catch (const Error& error) {
        throw error.with_file(parts_->file);
    }
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special_tokens) const {
    StreamDecoder decoder(*this, skip_special_tokens);
    std::string out;
    for (const TokenId id : ids) {
        out += decoder.push(id);
        if (out.size() > TextLimits::most_decoded(ids.size())) {
            throw_error(ErrorKind::tokenizer, "the ids decode to too much text", {.file = parts_->file});
        }
    }
    out += decoder.flush();
    return out;
}

std::size_t Tokenizer::vocab_size() const {
    return parts_->vocab_size;
}

TokenId Tokenizer::max_id() const {
    return parts_->max_id;
}
std::string Tokenizer::misfit(std::int64_t vocab_size, const std::string& checkpoint) const {
    if (max_id() < vocab_size) return "";
    return join(
        {"has id ", max_id(), ", which ", checkpoint, " with its ", vocab_size, " ids does not have"});
}

std::optional<TokenId> Tokenizer::token_to_id(std::string_view token) const {
    for (const AddedToken& added : parts_->added.all()) {
        if (added.content == token) return added.id;
    }
    return parts_->model.token_to_id(token);
}

std::string Tokenizer::piece(TokenId id) const {
    const auto* entry = parts_->entry(id);
    return entry == nullptr ? std::string() : entry->piece;
}

std::string Tokenizer::bytes(TokenId id) const {
    const auto* entry = parts_->entry(id);
    return entry == nullptr ? std::string() : entry->bytes;
}

bool Tokenizer::is_special(TokenId id) const {
    const auto* entry = parts_->entry(id);
    return entry != nullptr && entry->special;
}

StreamDecoder Tokenizer::stream(bool skip_special_tokens) const {
    return {*this, skip_special_tokens};
}

std::string StreamDecoder::push(TokenId id) {
    if (skip_special_tokens_ && tokenizer_.is_special(id)) return {};
    return mender_.push(tokenizer_.bytes(id));
}

}  // namespace mm
