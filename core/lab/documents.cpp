#include "core/lab/documents.hpp"

#include <algorithm>

#include "core/base/join.hpp"
#include "core/base/json.hpp"
#include "core/lab/foreign_text.hpp"

namespace mm {
namespace {

// The parser counts lines too, and each line of this file is its line 1.
std::string said_of_a_line(std::string message, std::string_view line) {
    constexpr std::string_view kPlace = "parse error at line 1, column ";
    const std::size_t at = message.find(kPlace);
    if (at == message.npos) return message;
    std::size_t column = 0;
    std::size_t end = at + kPlace.size();
    for (; end < message.size() && message[end] >= '0' && message[end] <= '9'; ++end) {
        column = 10 * column + static_cast<std::size_t>(message[end] - '0');
    }
    if (stopped_at_no_number(line, column)) {
        return join({"there is a NaN or an Infinity at column ", column, "; JSON has no such number"});
    }
    return join({message.substr(0, at), "column ", column, message.substr(end)});
}

std::string read_text(std::string_view line, const std::string& file, const std::string& where) {
    constexpr std::size_t kLongest = std::size_t{16} << 20;  // of which nlohmann takes six times the memory
    if (line.size() > kLongest) {
        throw_error(ErrorKind::format, join({"is longer than ", kLongest, " bytes"}),
                    {.file = file, .field = where});
    }
    Json document;
    try {
        document = parse_json(line, file, {.max_values = 100'000});
    } catch (const Error& error) {
        const std::string& inner = error.context().field;
        throw_error(error.kind(), said_of_a_line(error.message(), line),
                    {.file = file, .field = inner.empty() ? where : join({where, ": ", inner})});
    }
    if (!document.is_object()) {
        throw_error(ErrorKind::format, "the line must hold a JSON object", {.file = file, .field = where});
    }
    const std::string field = join({where, ": text"});
    const ErrorPlace place{.file = file, .field = field};
    const auto text = document.find("text");
    if (text == document.end()) throw_error(ErrorKind::format, "the field is missing", place);
    if (!text->is_string()) {
        throw_error(ErrorKind::format, join({"must be a string, is ", text->type_name()}), place);
    }
    return text->get<std::string>();
}

}  // namespace

std::vector<std::string> read_documents(std::string_view jsonl, const std::string& file, std::size_t count) {
    if (looks_like_utf16(jsonl)) {
        throw_error(ErrorKind::format, "the file is UTF-16", {.file = file},
                    "Save it as UTF-8; PowerShell's > may write UTF-16.");
    }
    if (jsonl.starts_with(kByteOrderMark)) jsonl.remove_prefix(kByteOrderMark.size());
    std::vector<std::string> texts;
    // A raw CR or LF cannot stand inside a JSON string, so either ends a line wherever it is.
    for (std::size_t number = 1; !jsonl.empty() && texts.size() < count; ++number) {
        const std::size_t end = jsonl.find_first_of("\r\n");
        const std::string_view line = jsonl.substr(0, end);
        if (line.find_first_not_of(" \t") != std::string_view::npos) {
            texts.push_back(read_text(line, file, join({"line ", number})));
        }
        if (end == std::string_view::npos) break;
        const bool pair = jsonl.substr(end, 2) == "\r\n";
        jsonl.remove_prefix(end + (pair ? 2 : 1));
    }
    const bool has_text =
        std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return !text.empty(); });
    if (count > 0 && !has_text) {
        throw_error(ErrorKind::format, "holds no document with text", {.file = file});
    }
    return texts;
}

}  // namespace mm
