// Parameters of a page's call, read with suspicion, and the objects it gets back.
//
// Names are those of wasm/client/api.ts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/json.hpp"

namespace mm::page {

// A field of the params. @throws Error{range} naming it: missing, of another type, outside its range.
const Json& object(const Json& params, const char* name);
std::string text(const Json& params, const char* name);
double number(const Json& params, const char* name);
std::int64_t integer(const Json& params, const char* name, std::int64_t least, std::int64_t most);
std::vector<std::int64_t> integers(const Json& params, const char* name, std::int64_t least,
                                   std::int64_t most);
/// An array of objects.
const Json& objects(const Json& params, const char* name);
/// 64 bits as a decimal string, −2^63 … 2^64 − 1: JavaScript's numbers hold 53.
std::uint64_t seed(const Json& params, const char* name);

/// A JSON object built field by field. (nlohmann's nested initialiser lists take several times the code.)
class Fields {
  public:
    template <typename T>
    Fields& set(const char* name, T&& value) {
        using Plain = std::remove_cvref_t<T>;
        if constexpr (std::is_same_v<Plain, bool>) {
            put(name, value);
        } else if constexpr (std::is_integral_v<Plain>) {
            put(name, static_cast<std::int64_t>(value));
        } else if constexpr (std::is_floating_point_v<Plain>) {
            put(name, static_cast<double>(value));
        } else if constexpr (std::is_convertible_v<T, std::string_view>) {
            put(name, std::string_view(value));
        } else if constexpr (std::is_same_v<Plain, Fields>) {
            put(name, std::move(value.json_));
        } else {
            put(name, Json(std::forward<T>(value)));
        }
        return *this;
    }
    operator Json() const { return json_; }

  private:
    void put(const char* name, bool value);
    void put(const char* name, std::int64_t value);
    void put(const char* name, double value);
    void put(const char* name, std::string_view value);
    void put(const char* name, Json&& value);

    Json json_ = Json::object();
};

/// An array with `view(element)` of every element.
template <typename List, typename View>
Json list_of(const List& list, View&& view) {
    Json json = Json::array();
    for (const auto& element : list) json.push_back(Json(view(element)));
    return json;
}

}  // namespace mm::page
