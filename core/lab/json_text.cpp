#include "core/lab/json_text.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

// value = ± d.ddd… × 10^exponent
struct Decimal {
    bool negative = false;
    std::string digits;
    int exponent = 0;
    bool reads_back = false;
};

// The nearest decimal of `count` significant digits. printf and strtod are exact in glibc and musl alike, and
// only the digits are taken, so the locale's decimal mark plays no part.
Decimal nearest_decimal(double value, int count) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*e", count - 1, value);
    Decimal decimal;
    decimal.reads_back = std::strtod(text.data(), nullptr) == value;
    const std::string_view all(text.data());
    const std::size_t e = all.find('e');
    decimal.negative = all.front() == '-';
    for (const char c : all.substr(0, e)) {
        if (c >= '0' && c <= '9') decimal.digits += c;
    }
    decimal.exponent = std::atoi(text.data() + e + 1);
    return decimal;
}

void require_finite(double value) {
    if (!std::isfinite(value)) throw_error(ErrorKind::internal, "a result is not a finite number");
}

// Digits with the decimal point at its place; an integer gets no point.
std::string plain_notation(const Decimal& decimal) {
    std::string text(decimal.negative ? "-" : "");
    const std::string& digits = decimal.digits;
    if (decimal.exponent < 0) {
        text += "0.";
        text.append(static_cast<std::size_t>(-decimal.exponent - 1), '0');
        return text += digits;
    }
    const auto whole = static_cast<std::size_t>(decimal.exponent) + 1;
    text += digits.substr(0, whole);
    if (digits.size() < whole) text.append(whole - digits.size(), '0');
    if (digits.size() > whole) text.append(".").append(digits, whole);
    return text;
}

void append(std::string& out, const Json& value) {
    if (value.is_object() || value.is_array()) {
        const bool object = value.is_object();
        out += object ? '{' : '[';
        bool first = true;
        for (const auto& item : value.items()) {
            if (!first) out += ", ";
            first = false;
            if (object) out += join({Json(item.key()).dump(-1, ' ', true), ": "});
            append(out, item.value());
        }
        out += object ? '}' : ']';
    } else if (value.is_number_float()) {
        out += number_text(value.get<double>());
    } else {
        out += value.dump(-1, ' ', true);
    }
}

}  // namespace

std::string number_text(double value) {
    require_finite(value);
    constexpr int kEnough = 17;  // every double reads back from 17 digits
    Decimal decimal;
    for (int count = 1; count <= kEnough && !decimal.reads_back; ++count) {
        decimal = nearest_decimal(value, count);
    }
    // The borders between plain and scientific notation are those of Python's repr.
    if (decimal.exponent >= -4 && decimal.exponent < 16) {
        std::string text = plain_notation(decimal);
        if (text.find('.') == std::string::npos) text += ".0";
        return text;
    }
    std::string text(decimal.negative ? "-" : "");
    text += decimal.digits[0];
    if (decimal.digits.size() > 1) text.append(".").append(decimal.digits, 1);
    text += decimal.exponent < 0 ? "e-" : "e+";
    const std::string power = std::to_string(std::abs(decimal.exponent));
    if (power.size() < 2) text += '0';
    return text += power;
}

std::string rounded_text(double value, int digits) {
    require_finite(value);
    Decimal decimal = nearest_decimal(value, digits);
    if (decimal.exponent >= digits) decimal = nearest_decimal(value, decimal.exponent + 1);
    while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
    return plain_notation(decimal);
}

std::string json_text(const Json& value) {
    std::string out;
    append(out, value);
    out += '\n';
    return out;
}

}  // namespace mm
