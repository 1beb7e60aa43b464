// JSON in: nlohmann's parser behind limits that hostile files cannot pass. JSON out is written by the layers
// that own a document (`ordered_json` keeps the key order).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace mm {

using Json = nlohmann::ordered_json;

struct JsonLimits {
    std::size_t max_depth = 64;
    std::size_t max_bytes = std::size_t{256} << 20;
    std::size_t max_values = 4'000'000;  // of any kind; each takes 16 bytes and more
};

/// Receives what stands in a JSON text, one thing after another; a false ends the reading.
using JsonEvents = nlohmann::json_sax<Json>;

/// Tells `events` all that is in `text`. False when the events or a syntax error (of which they hear) ended
/// it. The one place where nlohmann's parser is compiled: a copy for every kind of events is some 10 KB each.
bool read_json_events(std::string_view text, JsonEvents& events);

/// Parses one JSON document (UTF-8; a byte order mark at the start is allowed; nothing but white space may
/// follow it). Takes time in proportion to the text, however many keys an object has.
/// @param file named in the error.
/// @throws Error{format} with the reason: not JSON, not UTF-8, too deep, too large, too many values, a key
/// given twice.
Json parse_json(std::string_view text, const std::string& file, const JsonLimits& limits = {});

/// What a nlohmann exception says, as one short line: "parse error at line 1, column 2: …".
std::string json_reason(std::string what);

}  // namespace mm
