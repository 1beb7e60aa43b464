// A bench.json, as `mm-native bench --json` writes it, read back: for a page that shows a machine's own
// timings beside the browser's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mm {

struct BenchLine {
    std::string size;  // "lab", "minimind-3"
    std::string what;  // "decode, float16"
    int threads = 1;
    std::string instruction_set;  // of the kernels: "sse2", "avx512"
    double median = 0;
    double min = 0;
    double max = 0;
    std::string unit;  // "tokens/s", "s", …
};

struct BenchFile {
    std::string machine;  // "AMD EPYC 9R14, 2 cores, avx512"
    /// Not those of a model somebody trained: the times are those of any weights, the text means nothing.
    bool made_up_weights = false;
    std::vector<BenchLine> results;
};

/// True for a JSON object with "results": a bench.json rather than a time.json.
bool looks_like_bench_json(std::string_view text);

/// @param file named in the error
/// @throws Error{format} naming the key that is missing, of another type or no measured value (1e-9 … 1e12,
/// min ≤
///     median ≤ max), a text over 200 bytes; more than 1000 results
BenchFile read_bench_json(std::string_view text, const std::string& file);

}  // namespace mm
