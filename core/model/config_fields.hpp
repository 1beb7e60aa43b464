// The fields of one JSON object of a config.json, taken by name and type.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.hpp"

namespace mm {

/// Errors name the file and the field: Error{config} for a value of the wrong type, Error{unsupported} for
/// one that asks for arithmetic that this project does not do.
class ConfigFields {
  public:
    /// @param prefix  stands before field names in errors: "rope_scaling."
    ConfigFields(const Json& object, const std::string& file, std::string prefix = {});

    /// The value, or nullptr when absent or null.
    const Json* find(const char* name) const;
    /// Also a whole number that is written with a fraction of zero (2048.0).
    std::optional<std::int64_t> integer(const char* name) const;
    std::optional<double> number(const char* name) const;
    std::optional<bool> boolean(const char* name) const;
    std::optional<std::string> text(const char* name) const;

    [[noreturn]] void fail(std::string_view name, std::string_view message) const;
    [[noreturn]] void refuse(std::string_view name, std::string_view message) const;
    /// Refuses `name` unless it is absent, null or one of `values`.
    void only(const char* name, std::initializer_list<Json> values) const;

    const Json& object() const { return object_; }
    const std::string& file() const { return file_; }

  private:
    const Json& object_;
    const std::string& file_;
    std::string prefix_;
};

}  // namespace mm
