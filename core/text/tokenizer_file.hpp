// tokenizer.json, read once: the two big tables (vocabulary, merges) straight into vectors, everything else
// as a small JSON tree. Knows the file's shape, not its meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.hpp"

namespace mm {

struct TokenizerFile {
    /// The document without `model.vocab` and `model.merges` (unless these are not of the BPE form).
    Json rest;
    bool has_vocab = false;
    bool has_merges = false;
    std::vector<std::pair<std::string, std::uint64_t>> vocab;
    /// Pairs; a merge written as one string "a b" is split.
    std::vector<std::pair<std::string, std::string>> merges;
};

/// @throws Error{format} naming `file` (and the field) for what is not JSON, too large, too deep, or not a
/// merge.
TokenizerFile read_tokenizer_file(std::string_view json, const std::string& file);

/// A value inside the small tree, so that every complaint names file and field. Refers to the document, and
/// is as cheap as that: where it stands is looked for when something is wrong with it.
class JsonField {
  public:
    JsonField(const Json& document, const std::string& file) : JsonField(document, document, file) {}

    const Json& json() const { return *json_; }
    /// "decoder.decoders[2].type"; empty for the document itself.
    std::string path() const;
    bool has(std::string_view key) const;
    /// A member; throws Error{format} when this is not an object or has no member of this name.
    JsonField at(std::string_view key) const;
    JsonField item(std::size_t index) const;
    /// Number of items; throws Error{format} when this is not an array.
    std::size_t size() const;
    std::string string() const;
    bool boolean() const;
    /// An integer 0 … `most`.
    std::uint64_t number(std::uint64_t most) const;
    /// Member `key` as bool; `otherwise` when missing or null.
    bool boolean_or(std::string_view key, bool otherwise) const;
    bool null_or_missing(std::string_view key) const;

    [[noreturn]] void fail(ErrorKind kind, std::string_view message) const;
    /// "NAME is not supported", naming the field.
    [[noreturn]] void unsupported(std::string_view name) const;

  private:
    JsonField(const Json& json, const Json& document, const std::string& file)
        : json_(&json), document_(&document), file_(&file) {}

    const Json* json_;
    const Json* document_;
    const std::string* file_;
};

}  // namespace mm
