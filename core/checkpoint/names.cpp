#include "core/checkpoint/names.hpp"

#include <algorithm>
#include <string_view>

namespace mm {
namespace {

// Copied piece by piece: erasing from within would take quadratic time for a hostile name.
std::string without_compiled(std::string_view name) {
    constexpr std::string_view kCompiled = "_orig_mod.";
    std::string out;
    while (!name.empty()) {
        if (name.starts_with(kCompiled)) {
            name.remove_prefix(kCompiled.size());
            continue;
        }
        const std::size_t segment = std::min(name.find('.'), name.size() - 1) + 1;
        out += name.substr(0, segment);
        name.remove_prefix(segment);
    }
    return out;
}

}  // namespace

std::vector<std::string> unwrapped_names(std::vector<std::string> names) {
    constexpr std::string_view kParallel = "module.";
    for (std::string& name : names) name = without_compiled(name);
    const bool parallel =
        !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
            return name.starts_with(kParallel) && name.size() > kParallel.size();
        });
    if (parallel) {
        for (std::string& name : names) name.erase(0, kParallel.size());
    }
    return names;
}

}  // namespace mm
