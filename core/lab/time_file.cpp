#include "core/lab/time_file.hpp"

#include "core/base/join.hpp"
#include "core/base/json.hpp"
#include "core/base/json_fields.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/written_number.hpp"

namespace mm {
namespace {

constexpr const char* kWithCache = "with_cache_s";
constexpr const char* kWithoutCache = "without_cache_s";
constexpr const char* kSpeedup = "speedup";

double number_of(const Json& json, const char* key, const std::string& file) {
    const auto found = json.find(key);
    if (found == json.end()) {
        throw_error(ErrorKind::format, "missing from this time.json", {.file = file, .field = key});
    }
    if (!found->is_number()) {
        throw_error(ErrorKind::format, join({"expected a number, found ", found->type_name()}),
                    {.file = file, .field = key});
    }
    return found->get<double>();
}

double seconds_of(const Json& json, const char* key, const std::string& file) {
    const double seconds = number_of(json, key, file);
    if (!(seconds >= 1e-9 && seconds <= 1e9)) {
        throw_error(
            ErrorKind::range,
            join({number_text(seconds), " is not a plausible time: expected seconds from 1e-9 to 1e9"}),
            {.file = file, .field = key});
    }
    return seconds;
}

// The digits are those of the shortest text: what a file wrote, but for zeros at its end.
Interval as_written(double value) {
    return before_rounding(value, number_text(value));
}

}  // namespace

std::string to_json(const TimingSummary& times) {
    return json_text(JsonFields()
                         .set(kWithCache, times.with_cache_s)
                         .set(kWithoutCache, times.without_cache_s)
                         .set(kSpeedup, times.speedup));
}

TimingSummary read_time_json(std::string_view text, const std::string& file) {
    constexpr std::size_t kLargest = std::size_t{1} << 20;
    const Json json = parse_json(text, file, {.max_depth = 16, .max_bytes = kLargest});
    if (!json.is_object()) {
        throw_error(ErrorKind::format, join({"expected a JSON object, found ", json.type_name()}),
                    {.file = file});
    }
    const TimingSummary times{.with_cache_s = seconds_of(json, kWithCache, file),
                              .without_cache_s = seconds_of(json, kWithoutCache, file),
                              .speedup = number_of(json, kSpeedup, file)};
    const Interval ratio = ratio_of(as_written(times.without_cache_s), as_written(times.with_cache_s));
    if (!(times.speedup > 0) || !as_written(times.speedup).meets(ratio)) {
        throw_error(ErrorKind::range,
                    join({number_text(times.speedup), " is not without_cache_s ÷ with_cache_s = ",
                          rounded_text(times.without_cache_s / times.with_cache_s, 6)}),
                    {.file = file, .field = kSpeedup});
    }
    return times;
}

}  // namespace mm
