#include "core/lab/documents.hpp"

#include <algorithm>

#include "core/base/join.hpp"
#include "core/base/json.hpp"

namespace mm {
namespace {

std::string read_text(std::string_view line, const std::string& file, const std::string& where) {
    Json document;
    try {
        document = parse_json(line, file, {.max_values = 100'000});
    } catch (const Error& error) {
        const std::string& inner = error.context().field;
        throw_error(error.kind(), error.message(),
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
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (jsonl.substr(0, kByteOrderMark.size()) == kByteOrderMark) jsonl.remove_prefix(kByteOrderMark.size());
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
        throw_error(ErrorKind::format, "holds no document with a text in it", {.file = file});
    }
    return texts;
}

}  // namespace mm
