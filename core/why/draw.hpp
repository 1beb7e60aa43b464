// One draw of a token, looked at: the race of probability ÷ noise that torch.multinomial runs, and where its
// winner changes with the temperature.
//
// The noise comes from the seed alone, so for one seed only the temperature changes the winner. top-k and
// top-p are off, as in the lab.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/decode/rng_stream.hpp"

namespace mm::why {

struct Racer {
    TokenId id = 0;
    std::size_t rank = 0;   // by probability, 0 = likeliest
    std::size_t place = 0;  // in the race, 0 = winner
    float probability = 0;  // at the temperature
    float noise = 0;        // this token's exponential of the seed
    float quotient = 0;     // probability / noise: the largest wins
};

/// `id` wins for temperatures from `from` up to the next range's.
struct WinnerRange {
    double from = 0;
    TokenId id = 0;
};

struct Draw {
    Racer winner;
    Racer likeliest;
    std::vector<Racer> racers;         // the first ones of the race, the winner first
    std::vector<WinnerRange> winners;  // ascending; the first from 0 (the likeliest token: greedy)
};

constexpr double kMostTemperature = 2;

/// The first draw after seeding.
/// @param logits       [V], one position; finite
/// @param temperature  0 … 2; 0: all probability is on the likeliest token
/// @param entries      how many racers are told
/// @throws Error{range} for another temperature, or logits that hold NaN or +inf
Draw one_draw(std::span<const float> logits, double temperature, std::uint64_t seed, RngStream rng,
              std::size_t entries);

}  // namespace mm::why
