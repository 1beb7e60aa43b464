// How wide text is where every character has one column or two.
#pragma once

#include <cstddef>
#include <string_view>

namespace mm {

/// Columns that UTF-8 text takes in a terminal: East Asian wide characters count two, combining marks none.
std::size_t display_width(std::string_view text);
/// Of one character.
std::size_t display_width(char32_t c);

}  // namespace mm
