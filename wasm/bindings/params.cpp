#include "wasm/bindings/module.hpp"

namespace mm::wasm {
namespace {

const Json& value(const Json& params, const char* name, bool (Json::*is)() const, const char* expected) {
    const auto found = params.find(name);
    if (found != params.end() && ((*found).*is)()) return *found;
    const std::string what = found == params.end() ? "is missing" : std::string("is ") + found->type_name();
    throw Error(ErrorKind::range, what + "; expected " + expected, {.field = name});
}

std::int64_t checked(const Json& one, const char* name, std::int64_t least, std::int64_t most) {
    // Beyond int64 the parser keeps an unsigned number.
    const bool fits =
        one.is_number_integer() && (!one.is_number_unsigned() || one.get<std::uint64_t>() <= INT64_MAX);
    if (fits && one.get<std::int64_t>() >= least && one.get<std::int64_t>() <= most)
        return one.get<std::int64_t>();
    throw Error(ErrorKind::range,
                "must be a whole number in " + std::to_string(least) + " … " + std::to_string(most),
                {.field = name});
}

}  // namespace

const Json& object(const Json& params, const char* name) {
    return value(params, name, &Json::is_object, "an object");
}
std::string text(const Json& params, const char* name) {
    return value(params, name, &Json::is_string, "a string").get<std::string>();
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
    for (const Json& one : value(params, name, &Json::is_array, "an array"))
        all.push_back(checked(one, name, least, most));
    return all;
}

}  // namespace mm::wasm
