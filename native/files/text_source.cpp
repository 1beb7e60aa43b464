#include "native/files/text_source.hpp"

#include <algorithm>

#include "core/base/utf8.hpp"
#include "native/files/file.hpp"
#include "native/options/parse.hpp"

namespace mm {
namespace {

constexpr std::size_t kLargest = std::size_t{256} << 20;

// The file that "@FILE" names; nothing for a text.
std::optional<std::string> file_of(const std::string& option, const std::string& given) {
    if (!given.starts_with('@') || given.starts_with("@@")) return std::nullopt;
    if (given.size() == 1) throw_error(ErrorKind::range, "no file is named after @", {.field = option});
    return given.substr(1);
}

std::string read_text(const std::string& file) {
    const std::string text = read_stream(file, kLargest);
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string::npos) {
        throw_error(ErrorKind::format, "is not UTF-8 at byte " + std::to_string(bad),
                    {.file = stream_name(file)});
    }
    return text;
}

}  // namespace

std::string read_text_argument(const std::string& option, const std::string& given, Console& console) {
    const std::optional<std::string> file = file_of(option, given);
    if (!file) {
        if (!is_utf8(given)) throw_error(ErrorKind::range, "is not UTF-8 text", {.field = option});
        return given.starts_with("@@") ? given.substr(1) : given;
    }
    std::string text = read_text(*file);
    if (text.starts_with("\uFEFF"))
        console.note(stream_name(*file) + ": begins with a byte order mark, which counts");
    if (text.ends_with('\n')) console.note(stream_name(*file) + ": ends with a line break, which counts");
    return text;
}

std::vector<TokenId> read_ids_argument(const std::string& option, const std::string& given) {
    const std::optional<std::string> file = file_of(option, given);
    if (!file) return parse_ids(option, given);
    std::string text = read_text(*file);
    // "1 2\n3" and "1, 2,\n3" are both "1,2,3": white space between two numbers is a comma.
    const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    std::string list;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!space(text[i])) {
            list += text[i];
        } else if (!list.empty() && list.back() != ',') {
            const std::size_t next = static_cast<std::size_t>(
                std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), space) -
                text.begin());
            if (next < text.size() && text[next] != ',') list += ',';
            i = next - 1;
        }
    }
    try {
        return parse_ids(option, list);
    } catch (const Error& error) {
        throw_error(ErrorKind::format, error.message(), {.file = stream_name(*file), .field = option});
    }
}

}  // namespace mm
