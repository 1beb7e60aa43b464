// The chain from logits to probabilities against a plain transcription of MiniMind's steps.
#include "core/decode/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "core/base/error.hpp"
#include "core/decode/distribution.hpp"

namespace mm {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// MiniMind's `generate` for one row, as its lines stand there; softmax in float64.
struct Plain {
    std::vector<float> scaled, filtered;
    std::vector<double> probabilities;
    std::size_t kept = 0;

    static std::vector<double> softmax(const std::vector<float>& x) {
        const double largest = *std::max_element(x.begin(), x.end());
        std::vector<double> out;
        double sum = 0;
        for (const float value : x) sum += out.emplace_back(std::exp(value - largest));
        for (double& value : out) value /= sum;
        return out;
    }

    Plain(std::vector<float> logits, const std::vector<TokenId>& history, const SamplingOptions& o) {
        for (float& value : logits) value /= static_cast<float>(o.temperature);
        if (o.repetition_penalty != 1.0) {
            const auto penalty = static_cast<float>(o.repetition_penalty);
            for (const TokenId id : std::set<TokenId>(history.begin(), history.end())) {
                float& value = logits[static_cast<std::size_t>(id)];
                value = value > 0 ? value / penalty : value * penalty;
            }
        }
        scaled = logits;
        if (o.top_k > 0) {
            std::vector<float> sorted = logits;
            std::sort(sorted.rbegin(), sorted.rend());
            for (float& value : logits) {
                if (value < sorted[static_cast<std::size_t>(o.top_k) - 1]) value = -kInf;
            }
        }
        if (o.top_p < 1.0) {
            std::vector<std::size_t> order(logits.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
            const std::vector<double> p = softmax(logits);
            double before = 0;
            for (std::size_t rank = 0; rank < order.size(); ++rank) {
                if (rank > 0 && before > o.top_p) logits[order[rank]] = -kInf;
                before += p[order[rank]];
            }
        }
        filtered = logits;
        probabilities = softmax(logits);
        for (const float value : logits) kept += value != -kInf ? 1 : 0;
    }
};

std::vector<float> random_logits(std::mt19937& random, std::size_t count, double deviation) {
    std::normal_distribution<double> normal(0, deviation);
    std::vector<float> out(count);
    for (float& value : out) value = static_cast<float>(normal(random));
    return out;
}

void expect_valid(const Distribution& d, std::size_t count) {
    ASSERT_EQ(d.order.size(), count);
    for (std::size_t rank = 1; rank < count; ++rank) {
        const float before = d.scaled[static_cast<std::size_t>(d.order[rank - 1])];
        const float here = d.scaled[static_cast<std::size_t>(d.order[rank])];
        ASSERT_TRUE(before > here || (before == here && d.order[rank - 1] < d.order[rank])) << rank;
        ASSERT_LE(d.cumulative[rank - 1], d.cumulative[rank]);
    }
    EXPECT_LE(d.kept, d.kept_top_k);
    for (std::size_t rank = 0; rank < count; ++rank) {
        const auto id = static_cast<std::size_t>(d.order[rank]);
        ASSERT_EQ(d.filtered[id], rank < d.kept ? d.scaled[id] : -kInf) << rank;
    }
}

TEST(Sampler, EveryStageIsMiniMindsAndTheLoopsPathIsTheSameBits) {
    std::mt19937 random(1);
    Distribution d;
    const auto pick = [&](std::initializer_list<double> values) {
        return values.begin()[random() % values.size()];
    };
    for (int trial = 0; trial < 600; ++trial) {
        const std::size_t count = 1 + random() % (trial % 3 == 0 ? 20 : 700);
        const std::vector<float> logits = random_logits(random, count, pick({0.1, 1, 4, 20}));
        SamplingOptions o;
        o.temperature = pick({0.3, 0.85, 1.0, 1.5});
        o.top_k = static_cast<std::int64_t>(pick({0, 0, 1, 5, 50, static_cast<double>(count)}));
        o.top_k = std::min(o.top_k, static_cast<std::int64_t>(count));
        o.top_p = pick({0.0, 0.1, 0.5, 0.85, 0.95, 0.999, 1.0, 1.0});
        o.repetition_penalty = pick({1.0, 1.0, 1.3, 0.7});
        std::vector<TokenId> history(random() % 30);
        for (TokenId& id : history) id = static_cast<TokenId>(random() % count);

        const Plain plain(logits, history, o);
        distribution(logits, history, o, d);
        expect_valid(d, count);
        EXPECT_EQ(d.scaled, plain.scaled);
        EXPECT_EQ(d.filtered, plain.filtered);
        EXPECT_EQ(d.kept, plain.kept);
        for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(d.probabilities[i], plain.probabilities[i], 2e-6);

        Sampler sampler(o, count);
        std::vector<float> lean(count);
        sampler.probabilities(logits, history, lean);
        EXPECT_EQ(lean, d.probabilities);
        EXPECT_EQ(sampler.greedy(logits, history), d.order[0]);
    }
}

TEST(Sampler, LargeNucleiAreFoundInSteps) {
    // More tokens than the loop's first, second and third helping of candidates.
    std::mt19937 random(2);
    for (const double p : {0.02, 0.3, 0.9, 0.9999}) {
        const std::vector<float> logits = random_logits(random, 6400, 0.3);
        SamplingOptions o{.temperature = 1, .top_k = 0, .top_p = p};
        Distribution d;
        distribution(logits, {}, o, d);
        std::vector<float> lean(logits.size());
        Sampler(o, logits.size()).probabilities(logits, {}, lean);
        EXPECT_EQ(lean, d.probabilities);
        EXPECT_EQ(d.kept, Plain(logits, {}, o).kept);
        EXPECT_EQ(top_p_survivors(logits, 1, p), d.kept);
    }
}

TEST(Sampler, TiesStayAtTopKAndGoByIdAtTopP) {
    const std::vector<float> logits = {1, 3, 2, 3, 2, 2, 0};
    Distribution d;
    distribution(logits, {}, {.temperature = 1, .top_k = 3, .top_p = 1}, d);
    EXPECT_EQ(d.kept, 5U) << "three equal logits at the cut all stay";
    EXPECT_EQ((std::vector<TokenId>(d.order.begin(), d.order.begin() + 5)),
              (std::vector<TokenId>{1, 3, 2, 4, 5}));

    const std::vector<float> equal(10, 0.5f);  // probabilities of 0.1 each
    distribution(equal, {}, {.temperature = 1, .top_k = 0, .top_p = 0.25}, d);
    EXPECT_EQ(d.kept, 3U);
    EXPECT_GT(d.probabilities[2], 0);
    EXPECT_EQ(d.probabilities[3], 0);
    Sampler sampler({.temperature = 1, .top_k = 0, .top_p = 0.25}, 10);
    std::vector<float> lean(10);
    sampler.probabilities(equal, {}, lean);
    EXPECT_EQ(lean, d.probabilities);
    EXPECT_EQ(sampler.greedy(equal, {}), 0);
}

TEST(Sampler, TopPBounds) {
    const std::vector<float> logits = {0, 2, 1};
    EXPECT_EQ(top_p_survivors(logits, 1, 0), 1U) << "the first always stays";
    EXPECT_EQ(top_p_survivors(logits, 1, 1), 3U);
    // Exactly reached is not exceeded: with p = 0.5 of {0.5, 0.25, 0.25} the second stays too.
    const std::vector<float> halves = {std::log(2.0f), 0, 0};
    Distribution d;
    distribution(halves, {}, {.temperature = 1, .top_k = 0, .top_p = 0.5}, d);
    EXPECT_EQ(d.kept, d.cumulative[0] > 0.5f ? 1U : 2U);
}

TEST(Sampler, TemperatureZeroIsTheArgmax) {
    const std::vector<float> logits = {0, 2, 2, 1};
    const SamplingOptions o{.temperature = 0, .top_k = 2, .top_p = 0.9};
    EXPECT_TRUE(o.greedy());
    Distribution d;
    distribution(logits, {}, o, d);
    EXPECT_EQ(d.probabilities, (std::vector<float>{0, 1, 0, 0}));
    EXPECT_EQ(d.kept, 1U);
    std::vector<float> lean(4);
    Sampler(o, 4).probabilities(logits, {}, lean);
    EXPECT_EQ(lean, d.probabilities);
}

TEST(Sampler, PenaltyCountsAnIdOnce) {
    const std::vector<float> logits = {2, -2, 1};
    Distribution d;
    const std::vector<TokenId> history = {0, 0, 1, 0, 1};
    distribution(logits, history, {.temperature = 0.5, .top_k = 0, .top_p = 1, .repetition_penalty = 2}, d);
    EXPECT_EQ(d.scaled, (std::vector<float>{2, -8, 2}));
    EXPECT_EQ(d.order[0], 0);
}

TEST(Sampler, OptionsOutsideTheirRangeAreNamed) {
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    const auto field = [](const SamplingOptions& o) {
        try {
            o.validate(100);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::range);
            return error.context().field;
        }
        return std::string("none");
    };
    EXPECT_EQ(field({}), "none");
    for (const double bad : {nan, infinity, -infinity, -0.5, 1e-60, 1e60}) {
        EXPECT_EQ(field({.temperature = bad}), "temperature") << bad;
        EXPECT_EQ(field({.repetition_penalty = bad}), "repetition_penalty") << bad;
    }
    EXPECT_EQ(field({.repetition_penalty = 0}), "repetition_penalty");
    EXPECT_EQ(field({.temperature = 0}), "none");
    for (const double bad : {nan, infinity, -1e-9, 1.0000001})
        EXPECT_EQ(field({.top_p = bad}), "top_p") << bad;
    EXPECT_EQ(field({.top_k = -1}), "top_k");
    EXPECT_EQ(field({.top_k = 101}), "top_k");
    EXPECT_EQ(field({.top_k = 100}), "none");
    EXPECT_EQ(field({.top_k = 101, .do_sample = false}), "top_k") << "PyTorch's topk refuses it either way";
}

// A row of the table that names another member, or a range that its check does not keep, is found here.
TEST(Sampler, EveryRowOfTheTableIsCheckedUnderItsName) {
    const SamplingOptions defaults;
    for (const SamplingOption& option : sampling_options()) {
        SCOPED_TRACE(option.name);
        EXPECT_EQ(option.flag().find('_'), std::string::npos);
        SamplingOptions bad;
        std::visit(
            [&](auto member) {
                EXPECT_TRUE(option.in_range(static_cast<double>(defaults.*member)));
                bad.*member = -2;
            },
            option.value);
        try {
            bad.validate(100);
            ADD_FAILURE() << "-2 was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.context().field, option.name);
            EXPECT_NE(error.message().find(option.range), std::string::npos) << error.message();
        }
    }
}

TEST(Sampler, AnObserverSeesEachStageOnce) {
    std::vector<SamplingStage> stages;
    std::vector<std::size_t> kept;
    std::vector<float> out(4);
    Sampler({.temperature = 1, .top_k = 2, .top_p = 0.1}, 4)
        .probabilities(std::vector<float>{0, 2, 3, 1}, {}, out,
                       [&](SamplingStage stage, auto scores, std::size_t left) {
                           stages.push_back(stage);
                           kept.push_back(left);
                           EXPECT_EQ(scores[2], 3);
                       });
    EXPECT_EQ(stages, (std::vector{SamplingStage::scaled, SamplingStage::top_k, SamplingStage::top_p}));
    EXPECT_EQ(kept, (std::vector<std::size_t>{4, 2, 1}));
}

TEST(Sampler, LogitsThatCannotBeChosenFromAreAnError) {
    Distribution d;
    const SamplingOptions o{.temperature = 1, .top_k = 0, .top_p = 1};
    for (const float bad : {std::nanf(""), kInf}) {
        const std::vector<float> logits = {0, bad, 1};
        std::vector<float> out(3);
        EXPECT_THROW(distribution(logits, {}, o, d), Error);
        EXPECT_THROW(Sampler(o, 3).probabilities(logits, {}, out), Error);
        EXPECT_THROW(Sampler(o, 3).greedy(logits, {}), Error);
    }
    EXPECT_THROW(distribution(std::vector<float>{-kInf, -kInf}, {}, o, d), Error);
    EXPECT_THROW(distribution(std::vector<float>{3e38f}, {}, {.temperature = 0.1, .top_k = 0}, d), Error);
    EXPECT_THROW(distribution(std::vector<float>{}, {}, o, d), Error);
    const std::vector<TokenId> stranger = {2};
    EXPECT_THROW(distribution(std::vector<float>{1, 2}, stranger, {.top_k = 0, .repetition_penalty = 2}, d),
                 Error);
    distribution(std::vector<float>{0, -kInf}, {}, o, d);
    EXPECT_EQ(d.probabilities, (std::vector<float>{1, 0}));
}

}  // namespace
}  // namespace mm
