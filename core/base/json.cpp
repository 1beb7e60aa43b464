#include "core/base/json.hpp"

#include <set>
#include <utility>
#include <vector>

namespace mm {

std::string json_reason(std::string what) {
    // "[json.exception.parse_error.101] parse error at …" → from "parse error" on, for people.
    if (const auto at = what.find("] "); at != std::string::npos) what = what.substr(at + 2);
    for (char& c : what) {
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    constexpr std::size_t kLongest = 200;
    if (what.size() > kLongest) what.resize(kLongest);
    return what;
}

Json parse_json(std::string_view text, const std::string& file, const JsonLimits& limits) {
    const auto fail = [&file](std::string message) {
        throw Error(ErrorKind::format, std::move(message), {.file = file});
    };
    if (text.size() > limits.max_bytes) {
        fail("JSON of " + std::to_string(text.size()) + " bytes is over the limit of " +
             std::to_string(limits.max_bytes));
    }
    // Depth is checked before the parser sees the text: its memory would grow with every bracket.
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > limits.max_depth) {
                fail("JSON is nested deeper than " + std::to_string(limits.max_depth) + " levels");
            }
        } else if ((c == '}' || c == ']') && depth > 0) {
            --depth;
        }
    }
    std::vector<std::set<std::string>> keys;
    std::string twice;
    const auto watch = [&](int, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::object_start) keys.emplace_back();
        if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
        if (event == Json::parse_event_t::key && !keys.empty()) {
            const auto& key = value.get_ref<const std::string&>();
            if (!keys.back().insert(key).second && twice.empty()) twice = key;
        }
        return true;
    };
    try {
        Json parsed = Json::parse(text.begin(), text.end(), watch);
        if (!twice.empty())
            throw Error(ErrorKind::format, "the key is given twice", {.file = file, .field = twice});
        return parsed;
    } catch (const Json::exception& error) {
        throw Error(ErrorKind::format, "not valid JSON: " + json_reason(error.what()), {.file = file});
    }
}

}  // namespace mm
