// One draw: it is the sampler's and the generator's, and the winners over the temperature are those that it
// draws there.
#include "core/why/draw.hpp"

#include <gtest/gtest.h>

#include "core/decode/sampler.hpp"
#include "core/decode/torch_generator.hpp"
#include "core/why/experiment.hpp"
#include "tests/why/why_golden.hpp"

namespace mm::why {
namespace {

std::vector<float> demo_logits() {
    const Model model = test::model_of("demo");
    return last_logits(model, test::ids_of(test::why_json("demo")["prompt"]));
}

TokenId drawn(std::span<const float> logits, double temperature, std::uint64_t seed, RngStream rng) {
    std::vector<float> probabilities(logits.size());
    Sampler({.temperature = temperature, .top_k = 0, .top_p = 1}, logits.size())
        .probabilities(logits, {}, probabilities);
    TorchGenerator generator(rng);
    generator.manual_seed(seed);
    TokenId id = -1;
    generator.multinomial(probabilities, 1, logits.size(), {&id, 1});
    return id;
}

TEST(Draw, WinnerIsTheTokenThatIsDrawn) {
    const std::vector<float> logits = demo_logits();
    for (const RngStream rng : {RngStream::torch, RngStream::torch_mkl}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            for (const double temperature : {0.3, 1.0, 1.5}) {
                const Draw found = one_draw(logits, temperature, seed, rng, 5);
                EXPECT_EQ(found.winner.id, drawn(logits, temperature, seed, rng));
                EXPECT_EQ(found.racers.front().id, found.winner.id);
            }
        }
    }
}

/// Every hundredth of the slider, many seeds: the range says who wins there, and is said so by a real draw.
TEST(Draw, RangesSayWhoWinsAtEveryTemperature) {
    const std::vector<float> logits = demo_logits();
    std::size_t changes = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const std::vector<WinnerRange> winners = one_draw(logits, 1, seed, RngStream::torch, 1).winners;
        ASSERT_FALSE(winners.empty());
        EXPECT_EQ(winners.front().from, 0);
        for (std::size_t i = 1; i < winners.size(); ++i) {
            EXPECT_LT(winners[i - 1].from, winners[i].from);
            EXPECT_LE(winners[i].from, kMostTemperature);
            EXPECT_NE(winners[i - 1].id, winners[i].id);
        }
        changes += winners.size() - 1;
        for (int step = 0; step <= 200; ++step) {
            const double temperature = step / 100.0;
            TokenId expected = winners.front().id;
            for (const WinnerRange& range : winners) {
                if (range.from <= temperature) expected = range.id;
            }
            EXPECT_EQ(one_draw(logits, temperature, seed, RngStream::torch, 1).winner.id, expected)
                << "seed " << seed << " at " << temperature;
        }
    }
    EXPECT_GT(changes, 20U);
}

TEST(Draw, RacersAreInOrderAndNoiseStays) {
    const std::vector<float> logits = demo_logits();
    const Draw cold = one_draw(logits, 0.7, 3, RngStream::torch, logits.size());
    const Draw hot = one_draw(logits, 1.9, 3, RngStream::torch, logits.size());
    ASSERT_EQ(cold.racers.size(), logits.size());
    std::vector<float> noise(logits.size());
    TorchGenerator generator;
    generator.manual_seed(3);
    generator.exponential_(noise);
    for (const Draw* draw : {&cold, &hot}) {
        for (std::size_t i = 0; i < draw->racers.size(); ++i) {
            const Racer& racer = draw->racers[i];
            EXPECT_EQ(racer.place, i);
            EXPECT_EQ(racer.noise, noise[static_cast<std::size_t>(racer.id)]);
            EXPECT_EQ(racer.quotient, racer.probability / racer.noise);
            EXPECT_GE(draw->racers[i == 0 ? 0 : i - 1].quotient, racer.quotient);
        }
        EXPECT_EQ(draw->likeliest.rank, 0U);
        EXPECT_EQ(draw->winner.place, 0U);
    }
    EXPECT_EQ(cold.likeliest.id, hot.likeliest.id);
    EXPECT_EQ(cold.winners.size(), hot.winners.size());
}

/// Two tokens: the crossing is known. l = (2, 0), noise q: token 1 wins once T > 2 / ln(q0 / q1).
TEST(Draw, CrossingOfTwoTokens) {
    const std::vector<float> logits = {2, 0};
    std::size_t crossings = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Draw found = one_draw(logits, 1, seed, RngStream::torch, 2);
        std::vector<float> q(2);
        TorchGenerator generator;
        generator.manual_seed(seed);
        generator.exponential_(q);
        const double at = 2 / std::log(double{q[0]} / double{q[1]});
        ASSERT_EQ(found.winners.front().id, 0);
        if (q[0] > q[1] && at < 2) {
            ++crossings;
            ASSERT_EQ(found.winners.size(), 2U);
            EXPECT_NEAR(found.winners[1].from, at, 1e-12 * at);
            EXPECT_EQ(found.winners[1].id, 1);
        } else {
            EXPECT_EQ(found.winners.size(), 1U);
        }
    }
    EXPECT_GT(crossings, 5U);
}

TEST(Draw, GreedyAndItsLimits) {
    const std::vector<float> logits = {1, 3, 3, 2};
    const Draw greedy = one_draw(logits, 0, 0, RngStream::torch, 10);
    EXPECT_EQ(greedy.winner.id, 1);  // of equals the lower id
    EXPECT_EQ(greedy.racers.size(), 4U);
    EXPECT_EQ(greedy.winner.probability, 1);
    EXPECT_THROW(one_draw(logits, -0.1, 0, RngStream::torch, 1), Error);
    EXPECT_THROW(one_draw(logits, 2.01, 0, RngStream::torch, 1), Error);
    EXPECT_THROW(one_draw(logits, std::nan(""), 0, RngStream::torch, 1), Error);
}

}  // namespace
}  // namespace mm::why
