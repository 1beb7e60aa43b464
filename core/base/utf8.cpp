#include "core/base/utf8.hpp"

namespace mm {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Sequence {
    std::size_t size;  // bytes of the sequence, or of its longest well-formed beginning (at least 1)
    enum { complete, cut, broken } state;
};

/// Looks at the sequence that starts at `position`. `cut`: the text ends inside it and more bytes could
/// complete it.
Sequence look_at(std::string_view text, std::size_t position) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {1, Sequence::complete};
    std::size_t size = 0;
    unsigned low = 0x80;
    unsigned high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        size = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        size = 3;
        if (lead == 0xE0) low = 0xA0;   // no overlong forms
        if (lead == 0xED) high = 0x9F;  // no surrogates
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        size = 4;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;  // nothing beyond U+10FFFF
    } else {
        return {1, Sequence::broken};
    }
    for (std::size_t i = 1; i < size; ++i) {
        if (position + i == text.size()) return {i, Sequence::cut};
        if (byte(i) < low || byte(i) > high) return {i, Sequence::broken};
        low = 0x80;
        high = 0xBF;
    }
    return {size, Sequence::complete};
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const Sequence sequence = look_at(text, i);
        if (sequence.state != Sequence::complete) return i;
        i += sequence.size;
    }
    return std::string_view::npos;
}

void append_utf8(std::string& out, char32_t code_point) {
    const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
    if (code_point < 0x80) {
        out += byte(code_point);
    } else if (code_point < 0x800) {
        out += byte(0xC0 | code_point >> 6);
        out += byte(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        out += byte(0xE0 | code_point >> 12);
        out += byte(0x80 | (code_point >> 6 & 0x3F));
        out += byte(0x80 | (code_point & 0x3F));
    } else {
        out += byte(0xF0 | code_point >> 18);
        out += byte(0x80 | (code_point >> 12 & 0x3F));
        out += byte(0x80 | (code_point >> 6 & 0x3F));
        out += byte(0x80 | (code_point & 0x3F));
    }
}

std::string Utf8Mender::push(std::string_view bytes) {
    held_ += bytes;
    std::string out;
    std::size_t i = 0;
    while (i < held_.size()) {
        const Sequence sequence = look_at(held_, i);
        if (sequence.state == Sequence::cut) break;
        if (sequence.state == Sequence::complete) {
            out.append(held_, i, sequence.size);
        } else {
            out += kReplacement;
        }
        i += sequence.size;
    }
    held_.erase(0, i);
    return out;
}

std::string Utf8Mender::flush() {
    const bool anything = !held_.empty();
    held_.clear();
    return anything ? std::string(kReplacement) : std::string();
}

}  // namespace mm
