// Foreign text (a tensor's name, a student's folder, a model's answer) made safe to show to people. Whatever
// shows such text, on a terminal, in an error or in a report, shows it through here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mm {

/// `text` on one line, as a terminal may show it: bytes that are not UTF-8 as \xnn; as \u{NNNN} what moves
/// the cursor, breaks the line, changes the order of what follows or cannot be seen (C0, DEL, C1, line and
/// paragraph separators, bidirectional controls, format characters without a shape). Joiners stay: emoji and
/// several scripts need them.
/// @param longest characters shown before "…"
/// @param kept    ASCII controls that stay as they are, e.g. "\n\t"
std::string printable(std::string_view text, std::size_t longest = std::string_view::npos,
                      std::string_view kept = {});

/// `text` as valid UTF-8, for JSON and the like: bytes that are not UTF-8 as \xnn, all else as it is.
std::string escape_invalid_utf8(std::string_view text);

}  // namespace mm
