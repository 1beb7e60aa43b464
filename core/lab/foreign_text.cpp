#include "core/lab/foreign_text.hpp"

#include <algorithm>

namespace mm {

bool looks_like_utf16(std::string_view text) {
    if (text.size() < 2) return false;
    return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text[0] == '\0' || text[1] == '\0';
}

bool stopped_at_no_number(std::string_view text, std::size_t position) {
    // The parser stops within the word.
    std::size_t from = std::min(position, text.size());
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (from > 0) --from;
    while (from > 0 && letter(text[from - 1])) --from;
    if (from < text.size() && text[from] == '-') ++from;
    const std::string_view rest = text.substr(from);
    return rest.starts_with("NaN") || rest.starts_with("Infinity") || rest.starts_with("nan") ||
           rest.starts_with("inf");
}

}  // namespace mm
