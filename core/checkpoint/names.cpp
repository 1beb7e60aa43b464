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

bool is_utf8(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        if (lead < 0x80) continue;
        // Bounds of the second byte exclude overlong forms, surrogates and what is above U+10FFFF.
        unsigned low = 0x80;
        unsigned high = 0xBF;
        int more = 0;
        if (lead >= 0xC2 && lead <= 0xDF) {
            more = 1;
        } else if (lead >= 0xE0 && lead <= 0xEF) {
            more = 2;
            if (lead == 0xE0) low = 0xA0;
            if (lead == 0xED) high = 0x9F;
        } else if (lead >= 0xF0 && lead <= 0xF4) {
            more = 3;
            if (lead == 0xF0) low = 0x90;
            if (lead == 0xF4) high = 0x8F;
        } else {
            return false;
        }
        for (; more > 0; --more) {
            if (i == text.size()) return false;
            const auto next = static_cast<unsigned char>(text[i++]);
            if (next < low || next > high) return false;
            low = 0x80;
            high = 0xBF;
        }
    }
    return true;
}

}  // namespace mm
