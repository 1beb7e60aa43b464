#include "core/lab/checks/class_names.hpp"

#include <algorithm>
#include <map>

#include "core/base/display_width.hpp"
#include "core/base/join.hpp"
#include "core/base/printable.hpp"
#include "core/base/utf8.hpp"

namespace mm {
namespace {

constexpr std::size_t kColumns = 40;  // of a name, unless it takes more to tell two apart

// Folders that all paths begin with, up to their last slash.
std::size_t common_folders(std::span<const std::string> paths) {
    if (paths.size() < 2) return 0;
    std::string_view common = paths.front();
    for (const std::string& path : paths) {
        const auto end = std::mismatch(common.begin(), common.end(), path.begin(), path.end()).first;
        common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
    }
    const std::size_t slash = common.rfind('/');
    return slash == common.npos ? 0 : slash + 1;
}

// The longest start (or end, from behind) of `text` that fits.
std::string_view start_of(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t at = 0, used = 0; at < text.size(); end = at) {
        used += display_width(next_code_point(text, at));
        if (used > columns) break;
    }
    return text.substr(0, end);
}

std::string_view end_of(std::string_view text, std::size_t columns) {
    std::size_t begin = text.size();
    for (std::size_t at = text.size(), used = 0; at > 0; begin = at) {
        std::size_t before = at;
        used += display_width(previous_code_point(text, before));
        if (used > columns) break;
        at = before;
    }
    return text.substr(begin);
}

std::string shortened(const std::string& text, std::size_t columns) {
    if (display_width(text) <= columns) return text;
    const std::size_t half = (columns - 1) / 2;
    return join({start_of(text, columns - 1 - half), "…", end_of(text, half)});
}

}  // namespace

std::vector<std::string> class_names(std::span<const std::string> folders) {
    const std::size_t common = common_folders(folders);
    std::vector<std::string> whole;
    std::size_t longest = 0;
    for (const std::string& folder : folders) {
        whole.push_back(printable(std::string_view(folder).substr(common)));
        longest = std::max(longest, display_width(whole.back()));
    }
    std::vector<std::string> names(whole.size());
    std::vector<std::size_t> left(whole.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    // Names that look alike get more room, until each is told apart or stands there whole.
    for (std::size_t columns = kColumns; !left.empty(); columns *= 2) {
        std::map<std::string, std::vector<std::size_t>> alike;
        for (const std::size_t i : left) {
            names[i] = shortened(whole[i], columns);
            alike[names[i]].push_back(i);
        }
        left.clear();
        if (columns >= longest) break;
        for (const auto& [name, same] : alike) {
            if (same.size() > 1) left.insert(left.end(), same.begin(), same.end());
        }
    }
    return names;
}

}  // namespace mm
