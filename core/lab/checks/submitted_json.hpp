// A student's JSON file, read strictly and with the reason told when it cannot be.
//
// parse_json (core/base/json.hpp) would not do: numbers are kept as they were written (a grader must know how
// many digits there are, and report.md quotes them), and why a text is refused is a hint in three languages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lab/checks/finding.hpp"

namespace mm {

struct SubmittedValue {
    enum class Kind { null, boolean, integer, huge_integer, real, string, array, object };

    Kind kind = Kind::null;
    bool boolean = false;
    std::int64_t integer = 0;           // Kind::integer
    double real = 0;                    // Kind::integer and Kind::real
    std::string text;                   // numbers: as written; strings: the value
    std::vector<SubmittedValue> items;  // of an array; of an object, in file order
    std::vector<std::string> keys;      // of an object: of the item at the same place; unique

    /// The member of an object, null when there is none.
    const SubmittedValue* member(std::string_view key) const;
    bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
};

struct SubmittedJson {
    std::optional<SubmittedValue> object;  // empty: refused
    std::optional<Finding> refusal;        // why
    bool byte_order_mark = false;          // taken, though Python's json.load would not
};

/// Reads one JSON object. Refused: not UTF-8, UTF-16, NaN and Infinity, numbers no double holds, a key given
/// twice, more than 32 levels, more than 100,000 values, anything but one object. Never throws for a text.
SubmittedJson read_submitted_json(std::string_view text);

}  // namespace mm
