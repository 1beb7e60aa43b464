#include "core/checkpoint/names.hpp"

#include <algorithm>
#include <string_view>

namespace mm {

std::vector<std::string> unwrapped_names(std::vector<std::string> names) {
    constexpr std::string_view kCompiled = "_orig_mod.";
    constexpr std::string_view kParallel = "module.";
    for (std::string& name : names) {
        for (std::size_t at = name.find(kCompiled); at != std::string::npos; at = name.find(kCompiled, at)) {
            if (at == 0 || name[at - 1] == '.')
                name.erase(at, kCompiled.size());
            else
                at += kCompiled.size();
        }
    }
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
