// Parameters of a page's call, read with suspicion, and the objects it gets back.
//
// Names are those of wasm/client/api.ts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.hpp"
#include "core/base/json_fields.hpp"

namespace mm::page {

// A field of the params. @throws Error{range} naming it: missing, of another type, outside its range.
const Json& object(const Json& params, const char* name);
std::string text(const Json& params, const char* name);
bool truth(const Json& params, const char* name);
double number(const Json& params, const char* name);
std::int64_t integer(const Json& params, const char* name, std::int64_t least, std::int64_t most);
std::vector<std::int64_t> integers(const Json& params, const char* name, std::int64_t least,
                                   std::int64_t most);
/// An array of objects.
const Json& objects(const Json& params, const char* name);
/// 64 bits as a decimal string, −2^63 … 2^64 − 1: JavaScript's numbers hold 53.
std::uint64_t seed(const Json& params, const char* name);

using Fields = JsonFields;

/// An array with `view(element)` of every element.
template <typename List, typename View>
Json list_of(const List& list, View&& view) {
    Json json = Json::array();
    for (const auto& element : list) json.push_back(Json(view(element)));
    return json;
}

}  // namespace mm::page
