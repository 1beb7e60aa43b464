#include "native/terminal/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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

std::size_t width_of(char32_t c) {
    return in(kZero, c) ? 0 : in(kWide, c) ? 2 : 1;
}

std::string printed(const char* format, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

}  // namespace

std::string grouped(std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string duration_text(double seconds) {
    if (seconds < 1e-3) return printed("%.0f µs", seconds * 1e6);
    if (seconds < 1) return printed("%.3g ms", seconds * 1e3);
    if (seconds < 60) return printed("%.3g s", seconds);
    const double whole = std::floor(seconds);
    return printed("%.0f min ", std::floor(whole / 60)) + printed("%.0f s", std::fmod(whole, 60));
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size();) width += width_of(next_code_point(text, i));
    return width;
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
    const std::size_t room = columns > indent + 4 ? columns - indent : 4;
    const std::string margin(indent, ' ');
    std::string out = margin;
    std::size_t at = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find(' ', i), text.size());
        const std::string_view word = text.substr(i, end - i);
        const std::size_t width = display_width(word);
        if (at > 0 && at + 1 + width > room) {
            out += '\n';
            out += margin;
            at = 0;
        }
        if (at > 0) {
            out += ' ';
            ++at;
        }
        for (std::size_t k = 0; k < word.size();) {  // a word wider than the line is cut
            const std::size_t begin = k;
            const std::size_t w = width_of(next_code_point(word, k));
            if (at + w > room && at > 0) {
                out += '\n';
                out += margin;
                at = 0;
            }
            out += word.substr(begin, k - begin);
            at += w;
        }
        i = end + 1;
    }
    return out;
}

void Rows::add(std::string label, std::string value) {
    rows_.emplace_back(std::move(label), std::move(value));
}

std::string Rows::text(int columns) const {
    constexpr std::size_t kMargin = 2;
    constexpr std::size_t kGap = 2;
    constexpr std::size_t kLeastValue = 24;
    std::size_t label_width = 0;
    for (const auto& [label, value] : rows_) label_width = std::max(label_width, display_width(label));
    const auto total = static_cast<std::size_t>(std::max(columns, 1));
    const std::size_t begin = kMargin + label_width + kGap;
    const bool stacked = begin + kLeastValue > total;
    std::string out;
    for (const auto& [label, value] : rows_) {
        if (stacked) {
            out += wrapped(label, total, 0) + '\n' + wrapped(value, total, kMargin) + '\n';
        } else {
            const std::string body = wrapped(value, total, begin);
            const std::string head =
                std::string(kMargin, ' ') + label + std::string(label_width - display_width(label), ' ');
            out += head + std::string(kGap, ' ') + body.substr(begin) + "\n";
        }
    }
    return out;
}

}  // namespace mm
