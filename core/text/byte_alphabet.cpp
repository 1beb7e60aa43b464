#include "core/text/byte_alphabet.hpp"

#include <array>
#include <cstddef>

#include "core/base/utf8.hpp"

namespace mm {

namespace {

constexpr std::size_t kEnd = 0x144;  // one behind the last code point of the alphabet

struct Alphabet {
    std::array<char32_t, 256> code_points{};
    std::array<int, kEnd> bytes{};

    Alphabet() {
        bytes.fill(-1);
        char32_t next = 0x100;
        for (unsigned b = 0; b < 256; ++b) {
            const bool itself = (b >= '!' && b <= '~') || (b >= 0xA1 && b != 0xAD);
            code_points[b] = itself ? static_cast<char32_t>(b) : next++;
            bytes[code_points[b]] = static_cast<int>(b);
        }
    }
};

const Alphabet& alphabet() {
    static const Alphabet table;
    return table;
}

}  // namespace

char32_t byte_to_alphabet(unsigned char byte) {
    return alphabet().code_points[byte];
}

void append_in_alphabet(std::string& out, std::string_view bytes) {
    const Alphabet& table = alphabet();
    for (const char c : bytes) append_utf8(out, table.code_points[static_cast<unsigned char>(c)]);
}

std::optional<std::string> alphabet_to_bytes(std::string_view text) {
    const Alphabet& table = alphabet();
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const char32_t c = next_code_point(text, i);
        if (c >= kEnd || table.bytes[c] < 0) return std::nullopt;
        out += static_cast<char>(static_cast<unsigned char>(table.bytes[c]));
    }
    return out;
}

}  // namespace mm
