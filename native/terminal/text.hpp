// Text laid out for people in a terminal: numbers in groups of three, labels beside values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/display_width.hpp"

namespace mm {

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t value);

/// Seconds as people say them: "0.0123 s" → "12.3 ms", "1.53 s", "2 min 5 s".
std::string duration_text(double seconds);

/// Two columns: label and value (well-formed UTF-8; foreign text comes through printable()). Values wrap at
/// spaces; where the terminal is too narrow for two columns, each value stands below its label.
class Rows {
  public:
    void add(std::string label, std::string value);
    /// @param columns width of the terminal
    std::string text(int columns) const;

  private:
    std::vector<std::pair<std::string, std::string>> rows_;
};

/// `text` wrapped at spaces so that no line is wider than `columns`, each line after `indent` spaces.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace mm
