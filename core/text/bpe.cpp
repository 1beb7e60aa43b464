#include "core/text/bpe.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "core/base/join.hpp"
#include "core/base/utf8.hpp"

namespace mm {

namespace {

constexpr std::size_t kCachedWord = 64;  // bytes
constexpr std::size_t kCachedWords = 50'000;

/// "<0x0A>", as SentencePiece writes a byte.
std::string byte_token(unsigned char byte) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

}  // namespace

Bpe::Bpe(TokenizerFile& file, const std::string& name) {
    const JsonField model = JsonField(file.rest, name).at("model");
    if (!model.null_or_missing("type") && model.at("type").string() != "BPE") {
        model.at("type").unsupported(join({"the model ", model.at("type").string()}));
    }
    if (!file.has_vocab) model.at("vocab").fail(ErrorKind::format, "is not an object of ids");
    if (!file.has_merges) {
        if (model.null_or_missing("type")) model.unsupported("a model without merges");
        model.at("merges").fail(ErrorKind::format, "is not a list");
    }
    tokens_.reserve(file.vocab.size());
    std::vector<bool> taken;
    for (auto& [text, id] : file.vocab) {
        const auto fail = [&](std::string_view message) {
            throw_error(ErrorKind::tokenizer, message, {.file = name, .field = "model.vocab"});
        };
        if (id > kMaxId) fail(join({"the id ", id, " is above ", kMaxId}));
        if (id >= taken.size()) taken.resize(static_cast<std::size_t>(id) + 1);
        if (taken[static_cast<std::size_t>(id)]) fail(join({"two tokens have the id ", id}));
        taken[static_cast<std::size_t>(id)] = true;
        tokens_.push_back({std::move(text), static_cast<TokenId>(id)});
    }
    file.vocab.clear();
    ids_.reserve(tokens_.size());
    characters_.fill(-1);
    for (const Token& token : tokens_) {
        if (!ids_.emplace(token.text, token.id).second) {
            throw_error(ErrorKind::format, "a token is given twice", {.file = name, .field = "model.vocab"});
        }
        std::size_t size = 0;
        if (token.text.empty()) continue;
        const char32_t c = next_code_point(token.text, size);
        if (size == token.text.size() && c < characters_.size()) characters_[c] = token.id;
    }
    read_fields(model);
    read_merges(file, name);
}

void Bpe::read_fields(const JsonField& model) {
    if (!model.null_or_missing("dropout")) {
        const JsonField dropout = model.at("dropout");
        if (!dropout.json().is_number()) dropout.fail(ErrorKind::format, "is not a number");
        if (dropout.json().get<double>() != 0.0) dropout.unsupported("dropout");
    }
    if (!model.null_or_missing("unk_token")) unk_token_ = model.at("unk_token").string();
    if (!model.null_or_missing("continuing_subword_prefix")) {
        prefix_ = model.at("continuing_subword_prefix").string();
    }
    if (!model.null_or_missing("end_of_word_suffix")) suffix_ = model.at("end_of_word_suffix").string();
    // "##" and "</w>" are in use; every character of a text is looked up with them.
    constexpr std::size_t kLongestMark = 64;
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!model.null_or_missing(key) && model.at(key).string().size() > kLongestMark) {
            model.at(key).fail(ErrorKind::tokenizer, join({"is longer than ", kLongestMark, " bytes"}));
        }
    }
    fuse_unk_ = model.boolean_or("fuse_unk", false);
    byte_fallback_ = model.boolean_or("byte_fallback", false);
    ignore_merges_ = model.boolean_or("ignore_merges", false);
}

void Bpe::read_merges(TokenizerFile& file, const std::string& name) {
    merges_.reserve(file.merges.size());
    for (std::size_t i = 0; i < file.merges.size(); ++i) {
        const auto& [a, b] = file.merges[i];
        const auto id_of = [&](const std::string& token) {
            const auto found = token_to_id(token);
            if (!found) {
                throw_error(ErrorKind::tokenizer,
                            join({"merge ", i + 1, " needs a token that the vocabulary does not have"}),
                            {.file = name, .field = "model.merges"});
            }
            return *found;
        };
        const TokenId left = id_of(a);
        const TokenId right = id_of(b);
        // The right part loses its prefix without a look at it, as in the library.
        const TokenId merged = id_of(b.size() < prefix_.size() ? a : a + b.substr(prefix_.size()));
        merges_.insert_or_assign(pair(left, right), Merge{static_cast<std::uint32_t>(i), merged});
    }
    file.merges.clear();
}

std::optional<TokenId> Bpe::token_to_id(std::string_view token) const {
    const auto found = ids_.find(token);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
}

std::optional<TokenId> Bpe::symbol_id(std::string_view character, bool first, bool last) const {
    const bool plain = (first || prefix_.empty()) && (!last || suffix_.empty());
    if (plain && character.size() <= 2) {
        std::size_t position = 0;
        const char32_t c = next_code_point(character, position);
        if (c < characters_.size()) {
            if (characters_[c] < 0) return std::nullopt;
            return characters_[c];
        }
    }
    if (plain) return token_to_id(character);
    std::string dressed = first ? std::string() : prefix_;
    dressed += character;
    if (last) dressed += suffix_;
    return token_to_id(dressed);
}

std::vector<TokenId> Bpe::symbols(std::string_view word) const {
    std::vector<TokenId> ids;
    ids.reserve(word.size());
    // A run of unknown characters waits here for its end; bytes of byte_fallback pass it by, as in the
    // library.
    constexpr TokenId kNone = -1;
    TokenId unknown = kNone;
    for (std::size_t i = 0; i < word.size();) {
        const std::size_t begin = i;
        next_code_point(word, i);
        const std::string_view character = word.substr(begin, i - begin);
        if (const auto id = symbol_id(character, begin == 0, i == word.size())) {
            if (unknown != kNone) ids.push_back(unknown);
            unknown = kNone;
            ids.push_back(*id);
            continue;
        }
        if (byte_fallback_) {
            std::string dressed = begin == 0 ? std::string() : prefix_;
            dressed += character;
            if (i == word.size()) dressed += suffix_;
            std::vector<TokenId> bytes;
            for (const char c : dressed) {
                const auto id = token_to_id(byte_token(static_cast<unsigned char>(c)));
                if (!id) break;
                bytes.push_back(*id);
            }
            if (bytes.size() == dressed.size()) {
                ids.insert(ids.end(), bytes.begin(), bytes.end());
                continue;
            }
        }
        if (!unk_token_) continue;  // dropped without a word, as in the library
        if (unknown != kNone && fuse_unk_) continue;
        if (unknown != kNone) ids.push_back(unknown);
        unknown = token_to_id(*unk_token_).value_or(kNone);
        if (unknown == kNone) {
            throw_error(ErrorKind::tokenizer, "is needed for this text but not in the vocabulary",
                        {.field = "model.unk_token"});
        }
    }
    if (unknown != kNone) ids.push_back(unknown);
    return ids;
}

/// Merges the best-ranked pair, the leftmost of equals, until none is left. A heap holds the candidates; one
/// whose neighbours have changed meanwhile is dropped when it comes up. n log n.
void Bpe::merge(std::vector<TokenId>& ids) const {
    struct Candidate {
        std::uint32_t rank;
        std::int32_t position;
        TokenId id;
        bool operator<(const Candidate& other) const {  // the heap's top is the largest
            return rank != other.rank ? rank > other.rank : position > other.position;
        }
    };
    std::vector<Symbol> symbols(ids.size());
    std::vector<Candidate> heap;
    const auto size = static_cast<std::int32_t>(ids.size());
    for (std::int32_t i = 0; i < size; ++i) {
        symbols[static_cast<std::size_t>(i)] = {ids[static_cast<std::size_t>(i)], i - 1,
                                                i + 1 < size ? i + 1 : -1, false};
    }
    const auto symbol = [&](std::int32_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
    const auto consider = [&](std::int32_t position, std::int32_t next) {
        const auto found = merges_.find(pair(symbol(position).id, symbol(next).id));
        if (found == merges_.end()) return;
        heap.push_back({found->second.rank, position, found->second.id});
    };
    for (std::int32_t i = 0; i + 1 < size; ++i) consider(i, i + 1);
    std::priority_queue<Candidate> queue(std::less<Candidate>{}, std::move(heap));
    const auto push = [&](std::int32_t position, std::int32_t next) {
        const auto found = merges_.find(pair(symbol(position).id, symbol(next).id));
        if (found != merges_.end()) queue.push({found->second.rank, position, found->second.id});
    };
    while (!queue.empty()) {
        const Candidate top = queue.top();
        queue.pop();
        Symbol& left = symbol(top.position);
        if (left.gone || left.next < 0) continue;
        Symbol& right = symbol(left.next);
        const auto found = merges_.find(pair(left.id, right.id));
        if (found == merges_.end() || found->second.id != top.id) continue;
        left.id = top.id;
        left.next = right.next;
        right.gone = true;
        if (left.next >= 0) symbol(left.next).previous = top.position;
        if (left.previous >= 0) push(left.previous, top.position);
        if (left.next >= 0) push(top.position, left.next);
    }
    ids.clear();
    for (const Symbol& s : symbols) {
        if (!s.gone) ids.push_back(s.id);
    }
}

void Bpe::encode(std::string_view word, std::vector<TokenId>& out, Cache& cache) const {
    if (word.empty()) return;
    if (ignore_merges_) {
        if (const auto id = token_to_id(word)) {
            out.push_back(*id);
            return;
        }
    }
    const bool cached = word.size() <= kCachedWord;
    if (cached) {
        const auto found = cache.words.find(std::string(word));
        if (found != cache.words.end()) {
            out.insert(out.end(), found->second.begin(), found->second.end());
            return;
        }
    }
    std::vector<TokenId> ids = symbols(word);
    merge(ids);
    out.insert(out.end(), ids.begin(), ids.end());
    if (cached && cache.words.size() < kCachedWords) cache.words.emplace(word, std::move(ids));
}

}  // namespace mm
