// What can be asked of the sampler: the options, and the one table that says of each its name, help and
// range. The check of the values, the command line and the tests go through the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

namespace mm {

/// Defaults are MiniMind's.
struct SamplingOptions {
    double temperature = 0.85;
    std::int64_t top_k = 50;
    double top_p = 0.85;
    double repetition_penalty = 1.0;
    bool do_sample = true;

    /// @throws Error{range} naming the option (temperature, top_k, …), also for a top_k above the vocabulary.
    /// Values are judged as the float32 numbers they are used as.
    void validate(std::int64_t vocab_size) const;
    bool greedy() const { return !do_sample || temperature == 0; }
};

/// One row of the table.
struct SamplingOption {
    const char* name;         // Hugging Face's spelling
    const char* placeholder;  // what stands for the value in a usage line
    const char* help;         // one sentence for --help
    const char* range;        // goes on from "must be "
    bool (*in_range)(double value);
    std::variant<double SamplingOptions::*, std::int64_t SamplingOptions::*> value;

    /// The option on the command line: top_k is --top-k.
    std::string flag() const;
};

/// Every option that has a value, in the order of the chain.
std::span<const SamplingOption> sampling_options();

}  // namespace mm
