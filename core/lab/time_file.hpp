// time.json: the three numbers of step 3, as text and back.
//
// All that the report knows of the times, so a time.json measured elsewhere gives the same report as one
// measured here. Who measures is timing.hpp's business.
#pragma once

#include <string>
#include <string_view>

namespace mm {

struct TimingSummary {
    double with_cache_s = 0;     // seconds of one generation, > 0
    double without_cache_s = 0;  // the same without the cache
    double speedup = 0;          // without ÷ with
};

/// {"with_cache_s": x, "without_cache_s": y, "speedup": y / x}
std::string to_json(const TimingSummary& times);

/// Reads a time.json, also one that a student wrote. Numbers stay the doubles they read as, so a file that
/// to_json wrote gives the same text again; keys beyond the three are ignored.
/// @param file named in the error
/// @throws Error{format} naming the key that is missing or no number; Error{range} for a time outside
/// 1 ns … 10^9 s and for a speedup that is not the ratio of the times within the digits written
TimingSummary read_time_json(std::string_view text, const std::string& file);

}  // namespace mm
