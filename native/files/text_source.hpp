// A text given on the command line, or by the file that holds it: one argument cannot hold more than 128 KB.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/token_id.hpp"
#include "native/terminal/console.hpp"

namespace mm {

/// What `given` stands for: "@FILE" the content of a file (any name, any bytes in it), "@-" that of standard
/// input, "@@…" a text that begins with "@", anything else itself. The content is taken whole: that it begins
/// with a byte order mark or ends with a line break, which an editor may have put there, is told in a note.
/// @param option  that was given, e.g. "--prompt"
/// @throws Error naming the file: unreadable, not UTF-8, or over 256 MB
std::string read_text_argument(const std::string& option, const std::string& given, Console& console);

/// The same for token ids: white space may stand for a comma in a file.
/// @throws Error{range, format} for what is not a list of ids
std::vector<TokenId> read_ids_argument(const std::string& option, const std::string& given);

}  // namespace mm
