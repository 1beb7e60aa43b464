// Step 3 on the built-in demo, timed for the page while it waits: the demo's model, prompt and 64 tokens, as
// the page times them in the browser. Four times, each with one thing more: as the browser does it (one
// thread, float32, four lanes), the widest vectors, 16-bit weights, all threads. Without HTTP; in the form of
// `mm-native bench --json`, so that the page reads one.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/json.hpp"
#include "core/lab/timing.hpp"
#include "native/bench/bench.hpp"

namespace mm {

class Console;

/// A warm-up and three runs a side for each, about ten seconds. Settings that this machine does not tell
/// apart are left out. One call at a time: the choice of kernels is the program's.
/// @throws Error{cancelled} when a signal asked to stop
Json measure_demo(Console& console);

/// How one timing was made.
struct LiveSetting {
    int threads = 1;
    std::string dtype;            // of the weights as they are kept
    std::string instruction_set;  // of the kernels
};

/// Adds prefill and decode in tokens/s, step 3 with and without the cache in s.
/// @param prompt_len ≥ 1 tokens  @param new_tokens ≥ 2
void add_live_timing(BenchReport& report, const LiveSetting& setting, const TimingResult& timing,
                     std::int64_t prompt_len, std::int64_t new_tokens);

}  // namespace mm
