// Step 3 on the built-in demo, timed for the page while it waits: the same model, prompt and 64 tokens that
// the page times in the browser. Without HTTP; in the form of `mm-native bench --json`, so that the page
// reads one.
#pragma once

#include "core/base/json.hpp"
#include "core/lab/timing.hpp"

namespace mm {

class Console;

/// A warm-up and three runs a side, about two seconds on two cores. One call at a time.
/// @throws Error{cancelled} when a signal asked to stop
Json measure_demo(Console& console);

/// {"machine": {…}, "results": [{"size": "demo", "what", "threads", "median", "min", "max", "unit",
/// "share_of_limit": null}, …]}: prefill and decode in tokens/s, step 3 with and without the cache in s.
/// @param prompt_len ≥ 1 tokens  @param new_tokens ≥ 2
Json live_timing_json(const TimingResult& timing, std::int64_t prompt_len, std::int64_t new_tokens,
                      int threads, const std::string& dtype);

}  // namespace mm
