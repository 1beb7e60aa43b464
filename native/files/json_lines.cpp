#include "native/files/json_lines.hpp"

namespace mm {

bool JsonLines::next(Json& value) {
    std::string line;
    bool blank = false;
    while (lines_.next(line)) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) {
            if (blank) throw error("follows a blank line; expected a JSON value on every line");
            value = located([&] { return parse_json(line, ""); });
            return true;
        }
        blank = true;
    }
    return false;
}

Error JsonLines::error(const std::string& message) const {
    return Error(ErrorKind::format, message, {.file = lines_.name(), .field = place()});
}

}  // namespace mm
