#include "native/options/parse.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

[[noreturn]] void refuse(const std::string& option, std::string_view text, const std::string& wanted) {
    throw_error(ErrorKind::range, "'" + std::string(text) + "' is not " + wanted, {.field = option});
}

std::string range_text(std::int64_t low, std::int64_t high) {
    if (high == std::numeric_limits<std::int64_t>::max()) {
        if (low == std::numeric_limits<std::int64_t>::min()) return "a whole number of 64 bits";
        return "a whole number of " + std::to_string(low) + " or more";
    }
    return "a whole number in " + std::to_string(low) + " … " + std::to_string(high);
}

// from_chars takes the whole text, or it is not a number. It knows no leading '+', which people do write.
template <typename T>
bool read_all(std::string_view text, T& value) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size();
}

/// Calls `take` with each part of "a,b,c". An empty text has none.
template <typename Take>
void each_part(const std::string& option, std::string_view text, Take&& take) {
    static constexpr std::string_view kSpace = " \t\r\n";
    const auto trim = [](std::string_view part) {
        const auto first = part.find_first_not_of(kSpace);
        if (first == std::string_view::npos) return std::string_view();
        return part.substr(first, part.find_last_not_of(kSpace) + 1 - first);
    };
    if (trim(text).empty()) return;
    while (true) {
        const auto comma = text.find(',');
        const std::string_view part = trim(text.substr(0, comma));
        if (part.empty()) throw_error(ErrorKind::range, "has an empty part", {.field = option});
        take(part);
        if (comma == std::string_view::npos) return;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

std::int64_t parse_integer(const std::string& option, std::string_view text, std::int64_t low,
                           std::int64_t high) {
    std::int64_t value = 0;
    if (!read_all(text, value) || value < low || value > high) refuse(option, text, range_text(low, high));
    return value;
}

std::size_t index_below(const std::string& option, std::int64_t index, std::int64_t count) {
    if (index < 0 || index >= count) {
        throw_error(ErrorKind::range, join({index, " is not in 0 … ", count - 1}), {.field = option});
    }
    return static_cast<std::size_t>(index);
}

double parse_number(const std::string& option, std::string_view text) {
    double value = 0;
    if (!read_all(text, value) || !std::isfinite(value)) refuse(option, text, "a number");
    return value;
}

std::uint64_t parse_seed(const std::string& option, std::string_view text) {
    std::int64_t negative = 0;
    if (!text.empty() && text[0] == '-' && read_all(text, negative)) {
        return static_cast<std::uint64_t>(negative);
    }
    std::uint64_t value = 0;
    if (!read_all(text, value)) {
        refuse(option, text, "a seed (-9223372036854775808 … 18446744073709551615)");
    }
    return value;
}

std::vector<std::string> parse_list(const std::string& option, std::string_view text) {
    std::vector<std::string> parts;
    each_part(option, text, [&](std::string_view part) { parts.emplace_back(part); });
    return parts;
}

std::vector<TokenId> parse_ids(const std::string& option, std::string_view text) {
    std::vector<TokenId> ids;  // of a file there may be millions: no text is kept of each
    each_part(option, text, [&](std::string_view part) {
        std::int64_t id = 0;
        if (!read_all(part, id) || id < 0 || id > std::numeric_limits<TokenId>::max()) {
            refuse(option, part, "a token id (0 … 2147483647)");
        }
        ids.push_back(static_cast<TokenId>(id));
    });
    return ids;
}

}  // namespace mm
