// Which tokenizer belongs to a checkpoint: the lab names none, so it is looked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/tokenizer.hpp"
#include "native/terminal/console.hpp"

namespace mm {

/// Where the lab's official files are.
inline constexpr const char* kOfficialFolder = "/opt/mm";
inline constexpr const char* kOfficialTokenizer = "/opt/minimind/model";

struct TokenizerQuery {
    std::string checkpoint;             // a file, or an embedded one: then its embedded tokenizer
    std::string ref = kOfficialFolder;  // REF
    std::optional<std::string> given;   // --tokenizer: a file or a folder; nothing else is tried then
    std::int64_t vocab_size = 0;        // of the checkpoint
};

struct FoundTokenizer {
    std::optional<Tokenizer> tokenizer = {};
    std::string file = {};                // of the tokenizer; empty for the embedded one
    std::vector<std::string> tried = {};  // every place looked at
};

/// True when both name the same folder, however they are written; neither needs to exist.
bool same_folder(const std::string& one, const std::string& other);

/// The places looked at for a checkpoint file, in order: beside it, REF/tokenizer, REF/ref, REF, and for the
/// official REF /opt/minimind/model. Each may be a folder that holds tokenizer.json, or the file itself.
std::vector<std::string> tokenizer_places(const std::string& checkpoint, const std::string& ref);

/// Reads a tokenizer.json, given by the file or its folder. @throws Error naming the file
Tokenizer read_tokenizer(const std::string& place);

/// The tokenizer embedded beside the demo checkpoints.
Tokenizer demo_tokenizer();

/// The first tokenizer that fits. One with an id that the checkpoint's vocabulary does not have is skipped,
/// and named in a note; one that was given and does not fit is an error.
/// @throws Error naming the file: not a tokenizer; Error{tokenizer} given, and does not fit
FoundTokenizer find_tokenizer(const TokenizerQuery& query, Console& console);

/// What find_tokenizer found, or an Error{tokenizer} that names the checkpoint and lists every place
/// tried.
FoundTokenizer require_tokenizer(const TokenizerQuery& query, Console& console);

}  // namespace mm
