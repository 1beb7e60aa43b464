// The byte alphabet of byte-level BPE (GPT-2): each byte as one printable character, so that vocabularies can
// be written as text. Printable Latin-1 stands for itself, the other 68 bytes are U+0100 … U+0143 in byte
// order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mm {

/// The code point that stands for a byte.
char32_t byte_to_alphabet(unsigned char byte);

/// Appends `bytes` in the alphabet, as UTF-8.
void append_in_alphabet(std::string& out, std::string_view bytes);

/// The bytes that `text` (well-formed UTF-8) spells; nothing if one of its characters is not in the alphabet.
std::optional<std::string> alphabet_to_bytes(std::string_view text);

}  // namespace mm
