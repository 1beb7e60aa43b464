#include "core/base/display_width.hpp"

#include <algorithm>
#include <array>

#include "core/base/utf8.hpp"

namespace mm {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Blocks that terminals draw two columns wide (Unicode's East_Asian_Width W and F, by whole blocks).
constexpr std::array kWide = {Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
                              Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
                              Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
                              Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF},
                              Range{0x20000, 0x3FFFD}};
constexpr std::array kZero = {Range{0x0300, 0x036F}, Range{0x1160, 0x11FF}, Range{0x200B, 0x200F},
                              Range{0xFE00, 0xFE0F}};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, char32_t c) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [c](const Range& range) { return c >= range.first && c <= range.last; });
}

}  // namespace

std::size_t display_width(char32_t c) {
    return in(kZero, c) ? 0 : in(kWide, c) ? 2 : 1;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size();) width += display_width(next_code_point(text, i));
    return width;
}

}  // namespace mm
