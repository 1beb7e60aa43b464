#include "core/decode/sampling_options.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

// As the float32 number that the chain divides by.
bool finite_above_0(double value) {
    const auto single = static_cast<float>(value);
    return single > 0 && single <= std::numeric_limits<float>::max();
}

constexpr SamplingOption kOptions[] = {
    {"temperature", "T", "divides the logits; 0 is greedy", "0 (greedy) or a finite number above 0",
     [](double value) { return value == 0 || finite_above_0(value); }, &SamplingOptions::temperature},
    {"repetition_penalty", "R", "weakens ids that were there before; 1: none", "a finite number above 0",
     finite_above_0, &SamplingOptions::repetition_penalty},
    {"top_k", "K", "keep the K likeliest; 0: all", "0 (off) or positive",
     [](double value) { return value >= 0; }, &SamplingOptions::top_k},
    {"top_p", "P", "keep the likeliest that make up this share; 1: all", "in [0, 1]",
     [](double value) { return value >= 0 && value <= 1; }, &SamplingOptions::top_p},
};

}  // namespace

std::string SamplingOption::flag() const {
    std::string text = join({"--", name});
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::span<const SamplingOption> sampling_options() {
    return kOptions;
}

void SamplingOptions::validate(std::int64_t vocab_size) const {
    for (const SamplingOption& option : kOptions) {
        const double value =
            std::visit([this](auto member) { return static_cast<double>(this->*member); }, option.value);
        if (!option.in_range(value)) {
            throw_error(ErrorKind::range, join({"must be ", option.range}), {.field = option.name});
        }
    }
    if (top_k > vocab_size) {
        throw_error(ErrorKind::range, join({top_k, " is more than the vocabulary's ", vocab_size, " tokens"}),
                    {.field = "top_k"});
    }
}

}  // namespace mm
