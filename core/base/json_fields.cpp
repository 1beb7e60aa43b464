#include "core/base/json_fields.hpp"

namespace mm {

void JsonFields::put(const char* name, bool value) {
    json_[name] = value;
}
void JsonFields::put(const char* name, std::int64_t value) {
    json_[name] = value;
}
void JsonFields::put(const char* name, double value) {
    json_[name] = value;
}
void JsonFields::put(const char* name, std::string_view value) {
    json_[name] = value;
}
void JsonFields::put(const char* name, Json&& value) {
    json_[name] = std::move(value);
}

}  // namespace mm
