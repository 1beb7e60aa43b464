// Texts known when compiling as one constant: literals could not be set apart from the program's other ones
// (later.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mm {

template <std::size_t kBytes, std::size_t kTexts>
struct PackedTexts {
    static_assert(kBytes <= UINT16_MAX);
    std::array<char, kBytes> bytes{};
    std::array<std::uint16_t, kTexts + 1> starts{};

    std::string_view operator[](std::size_t text) const {
        const std::size_t start = starts.at(text);
        return {bytes.data() + start, starts.at(text + 1) - start};
    }
};

/// @tparam kRows  an array whose elements have `texts`, each an array of as many
/// @returns the texts, row by row
template <const auto& kRows>
consteval auto pack_texts() {
    constexpr std::size_t kBytes = [] {
        std::size_t bytes = 0;
        for (const auto& row : kRows) {
            for (const std::string_view text : row.texts) bytes += text.size();
        }
        return bytes;
    }();
    PackedTexts<kBytes, kRows.size() * kRows.front().texts.size()> packed;
    std::size_t text = 0;
    std::size_t at = 0;
    for (const auto& row : kRows) {
        for (const std::string_view one : row.texts) {
            std::copy(one.begin(), one.end(), packed.bytes.begin() + at);
            at += one.size();
            packed.starts[++text] = static_cast<std::uint16_t>(at);
        }
    }
    return packed;
}

}  // namespace mm
