#include "core/lab/checks/near_name.hpp"

#include <algorithm>
#include <array>

#include "core/base/utf8.hpp"
#include "core/text/huggingface/normalization.hpp"

namespace mm::checks {
namespace {

// Endings that editors, browsers and mail programs put on, in place of the right one or behind it.
constexpr std::array<std::string_view, 5> kEndings{"txt", "text", "bak", "jsonl", "markdown"};

// Lower-case ASCII letters, digits and dots of the last part; full-width ones count as such.
std::string plain(std::string_view name) {
    std::string text =
        find_invalid_utf8(name) == name.npos ? normalize(name, NormalForm::nfkc) : std::string(name);
    if (const std::size_t folder = text.find_last_of("\\/:"); folder != text.npos) text.erase(0, folder + 1);
    if (text.starts_with('.')) return "";  // ._same.json holds what macOS knows of a file, not the file
    std::string kept;
    for (const char c : text) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') || lower == '.') kept += lower;
    }
    return kept;
}

void erase_word(std::string& text, std::string_view word) {
    if (const std::size_t at = text.find(word); at != text.npos) text.erase(at, word.size());
}

bool spells(std::string name, std::string_view wanted) {
    const std::size_t dot = wanted.find('.');
    const std::string_view stem = wanted.substr(0, dot);
    erase_word(name, "copyof");
    erase_word(name, "copy");
    if (!name.starts_with(stem)) return false;
    std::string_view rest = std::string_view(name).substr(stem.size());
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') rest.remove_prefix(1);
    while (!rest.empty()) {
        if (rest.front() != '.') return false;
        const std::size_t end = std::min(rest.find('.', 1), rest.size());
        std::string_view ending = rest.substr(1, end - 1);
        while (!ending.empty() && ending.back() >= '0' && ending.back() <= '9') ending.remove_suffix(1);
        const bool known = ending.empty() || ending == wanted.substr(dot + 1) ||
                           std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
        if (!known) return false;
        rest.remove_prefix(end);
    }
    return true;
}

}  // namespace

const std::string* near_name(const std::vector<std::string>& names, std::string_view wanted) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return spells(plain(name), wanted); });
    return found == names.end() ? nullptr : &*found;
}

}  // namespace mm::checks
