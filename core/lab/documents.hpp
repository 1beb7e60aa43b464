// From the bytes of a JSON-lines file to the documents the lab joins into its prompt.
//
// A pure function: the native twin and the page read the file, this reads its text. Joining and encoding are
// greedy_pair.hpp's business.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mm {

/// The `text` of the first `count` documents, in order; fewer when the file has fewer.
///
/// One JSON object a line. A byte order mark, CRLF or CR line ends and blank lines are allowed; a blank line
/// is not a document. Lines after the last document needed are not looked at.
/// @param jsonl  the file's content, UTF-8
/// @param file   named in errors
/// @throws Error{format} naming file and line (counted from 1, blank lines included): not JSON (a line
///         that is cut, a lone surrogate, bytes that are not UTF-8), not an object, `text` missing or not
///         a string;
///         naming the file: none of these documents has a text.
std::vector<std::string> read_documents(std::string_view jsonl, const std::string& file, std::size_t count);

}  // namespace mm
