#include "core/page/params.hpp"

#include <charconv>

#include "core/base/join.hpp"

namespace mm::page {
namespace {

[[noreturn]] void fail(const char* name, std::string_view message) {
    throw_error(ErrorKind::range, message, {.field = name});
}

const Json& value(const Json& params, const char* name, bool (Json::*is)() const noexcept,
                  const char* expected) {
    const auto found = params.find(name);
    if (found == params.end()) fail(name, join({"is missing; expected ", expected}));
    if (!((*found).*is)()) fail(name, join({"is ", found->type_name(), "; expected ", expected}));
    return *found;
}

std::int64_t checked(const Json& one, const char* name, std::int64_t least, std::int64_t most) {
    // What int64 does not hold, the parser keeps as unsigned or as a floating number.
    const bool whole = one.is_number_integer() &&
                       (!one.is_number_unsigned() || one.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    const std::int64_t found = whole ? one.get<std::int64_t>() : 0;
    if (whole && found >= least && found <= most) return found;
    fail(name, join({"must be a whole number in ", least, " … ", most}));
}

}  // namespace

const Json& object(const Json& params, const char* name) {
    return value(params, name, &Json::is_object, "an object");
}

std::string text(const Json& params, const char* name) {
    return value(params, name, &Json::is_string, "a string").get<std::string>();
}

bool truth(const Json& params, const char* name) {
    return value(params, name, &Json::is_boolean, "true or false").get<bool>();
}

double number(const Json& params, const char* name) {
    return value(params, name, &Json::is_number, "a number").get<double>();
}

std::int64_t integer(const Json& params, const char* name, std::int64_t least, std::int64_t most) {
    return checked(value(params, name, &Json::is_number, "a number"), name, least, most);
}

std::vector<std::int64_t> integers(const Json& params, const char* name, std::int64_t least,
                                   std::int64_t most) {
    std::vector<std::int64_t> all;
    for (const Json& one : value(params, name, &Json::is_array, "an array")) {
        all.push_back(checked(one, name, least, most));
    }
    return all;
}

const Json& objects(const Json& params, const char* name) {
    const Json& list = value(params, name, &Json::is_array, "an array");
    for (const Json& one : list) {
        if (!one.is_object()) fail(name, "must hold objects only");
    }
    return list;
}

std::uint64_t seed(const Json& params, const char* name) {
    const std::string digits = text(params, name);
    const char* const end = digits.data() + digits.size();
    const bool negative = digits.starts_with('-');
    std::uint64_t magnitude = 0;
    const auto [stop, error] = std::from_chars(digits.data() + (negative ? 1 : 0), end, magnitude);
    constexpr std::uint64_t kMostNegative = std::uint64_t{1} << 63;
    if (error != std::errc() || stop != end || (negative && magnitude > kMostNegative)) {
        fail(name, "must be a whole number in −2^63 … 2^64 − 1");
    }
    return negative ? ~magnitude + 1 : magnitude;
}

}  // namespace mm::page
