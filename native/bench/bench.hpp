// What `mm-native bench` measures, as a function: models of the usual sizes with made-up weights, timed on
// this machine beside what the machine can do at most. `serve` calls the same.
//
// Work: 201 tokens at once (prefill), then greedy tokens one by one to 64 (decode), which together are the
// lab's step 3 with the cache; the same 64 without it; on the small size also step 5 at one temperature.
// Before a number counts, its tokens are compared: cache or not, either type of weights, any number of
// threads, any kernels. On one thread the slowest kernels, which a browser's equal, are measured too: so the
// page can compare like with like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.hpp"

namespace mm {

struct BenchOptions {
    std::vector<std::string> sizes = {"lab", "minimind-3"};
    std::vector<int> threads = {};            // each ≥ 1; empty: 1 and all cores
    std::vector<std::int64_t> contexts = {};  // also decode at these depths, each ≥ kBenchSteps
    std::size_t rounds = 3;  // of everything, for each size, type and number of threads, at least; ≥ 1
    double seconds = 0.5;    // more rounds until so long has been spent on it
    std::function<void(double)> on_progress = {};  // 0 … 1; may be empty
    std::function<bool()> stop = {};               // asked between runs; may be empty
};

/// Several measurements of one thing.
struct Spread {
    double median = 0;
    double min = 0;
    double max = 0;

    /// Too far apart for the median to be trusted to more than a digit: the machine was busy or changed pace.
    bool unsteady() const { return max >= 1.2 * min; }
};
/// @param values at least one
Spread spread_of(std::vector<double> values);

struct BenchResult {
    std::string size;  // "lab", "minimind-3"
    std::string what;  // "decode, float16"
    int threads = 1;
    std::string instruction_set;  // of the kernels that ran
    Spread value;
    std::string unit;  // "tokens/s", "s", "GB/s", "GFLOP/s", "bytes"
    /// Of the time the work would take at the multiply-add peak or the read bandwidth, whichever takes
    /// longer, measured in the same rounds. None for the limits themselves.
    std::optional<double> share_of_limit;
};

struct BenchMachine {
    std::string cpu;              // as the system names it
    int cores = 1;                // that this process may use
    std::string instruction_set;  // of the fastest kernels, which run unless a result says otherwise
    std::string version;          // of this program
    std::vector<int> threads;     // measured with
};

struct BenchReport {
    BenchMachine machine;
    bool made_up_weights = true;  // rather than those of a model somebody trained
    std::vector<BenchResult> results;
};

constexpr std::int64_t kBenchPrompt = 201;
constexpr std::int64_t kBenchTokens = 64;
constexpr std::int64_t kBenchSteps = 8;  // tokens timed at each depth of `contexts`

/// @throws Error{range} naming --sizes, --threads or --contexts; Error{cancelled}; Error{internal} when two
///         ways to the same tokens differ
BenchReport run_bench(const BenchOptions& options);

/// {"machine": {…}, "made_up_weights", "results": [{"size", "what", "threads", "instruction_set", "median",
/// "min", "max", "unit", "share_of_limit"}, …]}
Json to_json(const BenchReport& report);
/// A table for people. @param columns width of the terminal
std::string to_text(const BenchReport& report, int columns);

}  // namespace mm
