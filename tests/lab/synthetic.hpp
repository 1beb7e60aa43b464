// Made-up results of every step, for tests of what is written about them.
#pragma once

#include <numeric>

#include "core/lab/factors.hpp"
#include "core/lab/report.hpp"
#include "core/lab/timing.hpp"

namespace mm::test {

inline GreedyPairResult pair_result() {
    GreedyPairResult pair;
    pair.prompt_len = 201;
    pair.new_tokens = 64;
    pair.ids_with_cache.resize(64);
    std::iota(pair.ids_with_cache.begin(), pair.ids_with_cache.end(), 5);
    pair.ids_without_cache = pair.ids_with_cache;
    pair.fed_with_cache = 264;
    pair.fed_without_cache = 14880;
    return pair;
}

/// Three runs of each side with the given medians; the others lie `spread` around them.
inline TimingResult timing_result(double with, double without, double first_step, double spread = 1.02) {
    TimingResult timing;
    timing.with_cache = {{{with * spread, first_step}, {with, first_step}, {with, first_step}}};
    timing.without_cache = {{{without, 0}, {without, 0}, {without * spread, 0}}};
    return timing;
}

inline KvBytesResult kv_result() {
    return {.tokens = 100,
            .measured_bytes = 204800,
            .reserved_bytes = 229376,
            .k_shape = {1, 100, 2, 32},
            .num_hidden_layers = 4,
            .num_key_value_heads = 2,
            .head_dim = 32,
            .num_attention_heads = 4};
}

/// `distinct` answers among 30: the first takes what is left over.
inline TemperatureRow answers_row(double temperature, std::size_t distinct, std::size_t broken = 0) {
    TemperatureRow row;
    row.temperature = temperature;
    for (std::size_t i = 0; i < distinct; ++i) {
        row.answers.push_back(
            {"답 " + std::to_string(i), i == 0 ? 31 - distinct : 1, i >= distinct - broken});
    }
    return row;
}

inline TemperatureResult temperature_result(std::size_t low, std::size_t middle, std::size_t high,
                                            std::size_t broken = 0) {
    return {{answers_row(0.3, low), answers_row(1.0, middle), answers_row(1.5, high, broken)}};
}

inline TopPResult top_p_result(std::array<std::size_t, 3> broad, std::array<std::size_t, 3> sharp) {
    const auto position = [](std::string text, std::array<std::size_t, 3> counts) {
        TopPPosition made;
        made.text = std::move(text);
        made.survivors = {{0.5, counts[0]}, {0.9, counts[1]}, {0.99, counts[2]}};
        made.top = {{.id = 7, .text = " 감", .probability = 0.51234},
                    {.id = 8, .text = "`|`", .probability = 0.25}};
        return made;
    };
    return {position("민수는", broad), position("마을의 특산물은", sharp)};
}

}  // namespace mm::test
