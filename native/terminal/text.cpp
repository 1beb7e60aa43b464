#include "native/terminal/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/utf8.hpp"

namespace mm {
namespace {

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
            const std::size_t w = display_width(next_code_point(word, k));
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
