// JSON objects out, field by field: the lab's artifacts and the page's replies.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/json.hpp"

namespace mm {

/// A JSON object built field by field. (nlohmann's nested initialiser lists take several times the code.)
class JsonFields {
  public:
    template <typename T>
    JsonFields& set(const char* name, T&& value) {
        using Plain = std::remove_cvref_t<T>;
        if constexpr (std::is_same_v<Plain, bool>) {
            put(name, value);
        } else if constexpr (std::is_integral_v<Plain>) {
            put(name, static_cast<std::int64_t>(value));
        } else if constexpr (std::is_floating_point_v<Plain>) {
            put(name, static_cast<double>(value));
        } else if constexpr (std::is_convertible_v<T, std::string_view>) {
            put(name, std::string_view(value));
        } else if constexpr (std::is_same_v<Plain, JsonFields>) {
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

}  // namespace mm
