#include "core/why/draw.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact_math.hpp"
#include "core/decode/sampler.hpp"
#include "core/decode/torch_generator.hpp"

namespace mm::why {
namespace {

/// Token i wins at temperature T when l[i] / T − ln q[i] is the largest: in b = 1 / T these are straight
/// lines, and the winners are their upper envelope. Walked from T = 2 down to 0, each time to the first line
/// that is steeper and meets the present one.
std::vector<WinnerRange> winners_by_temperature(std::span<const float> logits, std::span<const float> noise) {
    std::vector<double> height(noise.size());
    std::transform(noise.begin(), noise.end(), height.begin(), [](float q) { return -exact_log(double{q}); });
    const auto at = [&](std::size_t i, double b) { return double{logits[i]} * b + height[i]; };
    double b = 1 / kMostTemperature;
    std::size_t winner = 0;
    for (std::size_t i = 1; i < logits.size(); ++i) {
        if (at(i, b) > at(winner, b)) winner = i;
    }
    std::vector<WinnerRange> out;
    for (;;) {
        std::size_t next = winner;
        double meeting = 0;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            if (!(logits[i] > logits[winner])) continue;
            const double crossing =
                (height[winner] - height[i]) / (double{logits[i]} - double{logits[winner]});
            // Of lines that meet at one point the steepest goes on.
            if (next == winner || crossing < meeting || (crossing == meeting && logits[i] > logits[next])) {
                next = i;
                meeting = crossing;
            }
        }
        out.push_back({next == winner ? 0 : 1 / std::max(meeting, b), static_cast<TokenId>(winner)});
        if (next == winner) break;
        b = std::max(meeting, b);
        winner = next;
    }
    std::reverse(out.begin(), out.end());
    return out;
}

}  // namespace

Draw one_draw(std::span<const float> logits, double temperature, std::uint64_t seed, RngStream rng,
              std::size_t entries) {
    if (!(temperature >= 0 && temperature <= kMostTemperature)) {
        throw_error(ErrorKind::range, "is not in 0 … 2", {.field = "temperature"});
    }
    const std::size_t vocabulary = logits.size();
    std::vector<float> probabilities(vocabulary), noise(vocabulary), quotients(vocabulary);
    Sampler({.temperature = temperature, .top_k = 0, .top_p = 1}, vocabulary)
        .probabilities(logits, {}, probabilities);
    TorchGenerator generator(rng);
    generator.manual_seed(seed);
    generator.exponential_(noise);
    for (std::size_t i = 0; i < vocabulary; ++i) quotients[i] = probabilities[i] / noise[i];

    // Of equals the lower id comes first, as in torch.multinomial.
    const auto order_by = [&](std::span<const float> values) {
        std::vector<TokenId> order(vocabulary);
        std::iota(order.begin(), order.end(), TokenId{0});
        std::sort(order.begin(), order.end(), ByScore{values.data()});
        return order;
    };
    const std::vector<TokenId> by_logit = order_by(logits), race = order_by(quotients);
    const auto place_in = [](const std::vector<TokenId>& order, TokenId id) {
        return static_cast<std::size_t>(std::find(order.begin(), order.end(), id) - order.begin());
    };
    const auto racer = [&](TokenId id) {
        const auto i = static_cast<std::size_t>(id);
        return Racer{id,          place_in(by_logit, id), place_in(race, id), probabilities[i], noise[i],
                     quotients[i]};
    };
    Draw out;
    out.winner = racer(race.front());
    out.likeliest = racer(by_logit.front());
    for (std::size_t i = 0; i < std::min(entries, vocabulary); ++i) out.racers.push_back(racer(race[i]));
    out.winners = winners_by_temperature(logits, noise);
    return out;
}

}  // namespace mm::why
