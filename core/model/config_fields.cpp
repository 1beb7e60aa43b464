#include "core/model/config_fields.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/join.hpp"

namespace mm {

ConfigFields::ConfigFields(const Json& object, const std::string& file, std::string prefix)
    : object_(object), file_(file), prefix_(std::move(prefix)) {
    if (object.is_object()) return;
    const std::string name = prefix_.substr(0, prefix_.rfind('.'));
    throw_error(ErrorKind::config, "must be an object", {.file = file, .field = name});
}

const Json* ConfigFields::find(const char* name) const {
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
}

std::optional<std::int64_t> ConfigFields::integer(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (value->is_number_float()) {
        const double whole = value->get<double>();
        if (whole != std::floor(whole)) fail(name, "must be an integer");
        if (!(std::fabs(whole) < 0x1p63)) fail(name, "is out of range");
        return static_cast<std::int64_t>(whole);
    }
    if (!value->is_number_integer()) fail(name, "must be an integer");
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
        fail(name, "is out of range");
    }
    return value->get<std::int64_t>();
}

std::optional<double> ConfigFields::number(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_number()) fail(name, "must be a number");
    return value->get<double>();
}

std::optional<bool> ConfigFields::boolean(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_boolean()) fail(name, "must be true or false");
    return value->get<bool>();
}

std::optional<std::string> ConfigFields::text(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) fail(name, "must be a string");
    return value->get<std::string>();
}

void ConfigFields::fail(std::string_view name, std::string_view message) const {
    throw_error(ErrorKind::config, message, {.file = file_, .field = join({prefix_, name})});
}

void ConfigFields::refuse(std::string_view name, std::string_view message) const {
    throw_error(ErrorKind::unsupported, message, {.file = file_, .field = join({prefix_, name})});
}

void ConfigFields::only(const char* name, std::initializer_list<Json> values) const {
    const Json* value = find(name);
    if (value == nullptr || std::find(values.begin(), values.end(), *value) != values.end()) return;
    std::string shown = value->dump(-1, ' ', false, Json::error_handler_t::replace);
    if (shown.size() > 60) shown = "this value";
    refuse(name, join({shown, " is not supported"}));
}

}  // namespace mm
