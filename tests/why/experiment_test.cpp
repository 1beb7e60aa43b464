// The experiments against PyTorch runs that are changed in the same way, and their bytes against the formula.
#include "core/why/experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/decode/generate.hpp"
#include "core/text/tokenizer.hpp"
#include "core/why/stored.hpp"
#include "tests/why/why_golden.hpp"

namespace mm::why {
namespace {

using test::WhyGolden;

Subject subject_of(const Json& json) {
    Subject subject;
    subject.prompt = test::ids_of(json["prompt"]);
    subject.left_over = test::ids_of(json["left_over"]);
    return subject;
}

Result result_of(Experiments& experiments, const std::string& name) {
    return run(experiments.in_steps(name));
}

class Recorded : public testing::TestWithParam<const char*> {
  protected:
    WhyGolden golden{GetParam()};
    Experiments experiments{golden.weights, subject_of(golden.json)};
};

TEST_P(Recorded, ExperimentsAreAsInPyTorch) {
    for (const auto& [name, expected] : golden.json["experiments"].items()) {
        SCOPED_TRACE(name);
        const Result found = result_of(experiments, name);
        EXPECT_EQ(found.ids_control, test::ids_of(golden.json["ids_control"]));
        EXPECT_EQ(found.ids, test::ids_of(expected["ids"]));
        const Json& first = expected["first_difference"];
        EXPECT_EQ(found.first_difference,
                  first.is_null() ? std::nullopt : std::optional<std::int64_t>(first.get<std::int64_t>()));
        const double largest = expected["largest_difference"].get<double>();
        // Where K and V are rounded, a last bit before the rounding may become a step of it.
        const bool rounded = name == "float16" || name == "int8";
        EXPECT_NEAR(found.largest_difference, largest, (rounded ? 0.1 * largest : 0) + 2e-4);
        EXPECT_EQ(found.bits_equal, largest == 0);
    }
}

TEST_P(Recorded, CacheOffAndSameSeedChangeNoBit) {
    for (const char* name : {"cache-off", "cache-off-drawn"}) {
        const Result found = result_of(experiments, name);
        EXPECT_TRUE(found.bits_equal) << name;
        EXPECT_EQ(found.first_difference, std::nullopt);
        EXPECT_EQ(found.largest_difference, 0);
        EXPECT_EQ(found.kv_bytes, 0U);
        EXPECT_EQ(found.kv_bytes_formula, 0U);
        EXPECT_EQ(found.ids, found.ids_control);
        EXPECT_EQ(found.ids.size(), static_cast<std::size_t>(kNewTokens));
    }
}

/// The unchanged runs are what the fast path generates.
TEST_P(Recorded, ControlsAreGenerates) {
    GenerateOptions options = GenerateOptions::lab_greedy(kNewTokens, true);
    const std::vector<TokenId> prompt = test::ids_of(golden.json["prompt"]);
    const auto generated = generate(golden.model, prompt, options);
    const Result greedy = result_of(experiments, "cache-off");
    EXPECT_EQ(greedy.ids_control, generated.rows[0]);
    EXPECT_EQ(greedy.kv_bytes_control, generated.kv_bytes);
    options.sampling = {.temperature = kTemperature, .top_k = 0, .top_p = 1};
    for (const auto& [name, temperature, seed] : {std::tuple{"cache-off-drawn", kTemperature, 0},
                                                  {"other-seed", kTemperature, 1},
                                                  {"other-temperature", kOtherTemperature, 0}}) {
        options.sampling.temperature = temperature;
        options.seed = static_cast<std::uint64_t>(seed);
        EXPECT_EQ(result_of(experiments, name).ids, generate(golden.model, prompt, options).rows[0]) << name;
    }
}

/// Up to the first other token the text is the same, and so is every logit: it is the drawing.
TEST_P(Recorded, DrawingChangesNoLogit) {
    for (const char* name : {"other-seed", "other-temperature"}) {
        const Result found = result_of(experiments, name);
        EXPECT_EQ(found.kind, Kind::drawing);
        EXPECT_EQ(found.largest_difference, 0) << name;
        ASSERT_TRUE(found.first_difference) << name;
        EXPECT_FALSE(found.bits_equal);
    }
}

TEST_P(Recorded, CountedBytesAreTheFormulas) {
    const ModelConfig& c = golden.weights.config;
    const auto rows = static_cast<std::uint64_t>(2 * c.num_hidden_layers * c.num_key_value_heads);
    const auto head_dim = static_cast<std::uint64_t>(c.head_dim);
    const std::uint64_t prompt = golden.json["prompt"].size(), left = golden.json["left_over"].size();
    const std::uint64_t all = prompt + kNewTokens - 1;
    const std::map<std::string, std::uint64_t> expected = {
        {"position-0", all * rows * head_dim * 4},
        {"fed-twice", (prompt + 2 * (kNewTokens - 1)) * rows * head_dim * 4},
        {"left-over", (left + all) * rows * head_dim * 4},
        {"float16", all * rows * head_dim * 2},
        {"int8", all * rows * (head_dim + 4)},
        {"window-4", 4 * rows * head_dim * 4},
        {"window-1", 1 * rows * head_dim * 4},
        {"window-8-pinned-4", 12 * rows * head_dim * 4},
        {"window-32", all * rows * head_dim * 4}};
    for (const auto& [name, bytes] : expected) {
        const Result found = result_of(experiments, name);
        EXPECT_EQ(found.kv_bytes, bytes) << name;
        EXPECT_EQ(found.kv_bytes_formula, bytes) << name;
        EXPECT_EQ(found.kv_bytes_control, all * rows * head_dim * 4) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, Recorded, testing::ValuesIn(test::kWhyGoldens));

TEST(Experiments, DemoTextsAreThoseRecorded) {
    const Json json = test::why_json("demo");
    const Tokenizer tokenizer =
        Tokenizer::from_json(test::read_text(test::kDemo / "tokenizer.json"), "tokenizer.json");
    std::vector<TokenId> prompt = tokenizer.encode("민수는 강아지 보리와", false);
    prompt.insert(prompt.begin(), 1);
    EXPECT_EQ(prompt, test::ids_of(json["prompt"]));
    EXPECT_EQ(left_over_ids(tokenizer, 1), test::ids_of(json["left_over"]));
}

TEST(Experiments, EveryDefaultIsKnown) {
    const WhyGolden golden("minimind2");
    const auto names = default_experiments(golden.weights.config.num_hidden_layers);
    EXPECT_EQ(names.size(), 17U);
    for (const std::string& name : names) EXPECT_NO_THROW(kind_of(name, golden.weights.config)) << name;
    ModelConfig one = golden.weights.config;
    one.num_hidden_layers = 1;
    for (const std::string& name : default_experiments(1)) EXPECT_NO_THROW(kind_of(name, one)) << name;
}

void expect_range(const std::function<void()>& call, const std::string& field) {
    try {
        call();
        ADD_FAILURE() << "nothing was thrown; expected " << field;
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::range);
        EXPECT_EQ(error.context().field, field);
    }
}

TEST(Experiments, RefusesWhatItCannotDo) {
    const WhyGolden golden("minimind2");
    const reference::Weights& weights = golden.weights;
    for (const char* name :
         {"", "cache", "window-0", "window-", "window--1", "window-4-pinned-", "window-4x", "swapped-layer-0",
          "swapped-layer-3", "swapped-layer-", "window-99999999999999999999", "float16 "}) {
        expect_range([&] { kind_of(name, weights.config); }, "experiments");
    }
    expect_range([&] { Experiments(weights, {.prompt = {}, .left_over = {1}}); }, "ids");
    expect_range([&] { Experiments(weights, {.prompt = {1}, .left_over = {}}); }, "ids");
    expect_range([&] { Experiments(weights, {.prompt = {-1}, .left_over = {1}}); }, "ids");
    expect_range([&] { Experiments(weights, {.prompt = {256}, .left_over = {1}}); }, "ids");
    expect_range([&] { Experiments(weights, {.prompt = {1}, .left_over = {1}, .new_tokens = 0}); },
                 "new_tokens");
    expect_range([&] { Experiments(weights, {.prompt = {1}, .left_over = {1}, .new_tokens = 1 << 20}); },
                 "max_position_embeddings");
}

TEST(Stored, Float16IsTorchs) {
    const Json pairs = test::why_json("float16");
    ASSERT_GT(pairs.size(), 400U);
    for (const Json& pair : pairs) {
        const auto bits = pair[0].get<std::uint32_t>();
        float value;
        std::memcpy(&value, &bits, sizeof value);
        EXPECT_EQ(narrow_f16(value), pair[1].get<std::uint16_t>()) << value;
    }
    EXPECT_EQ(narrow_f16(std::nanf("")) & 0x7FFF, 0x7E00);
}

TEST(Stored, EightBitsKeepTheLargestAndZero) {
    reference::Heads values = reference::Heads::from_shape({1, 2, 3});
    const float given[] = {0.5f, -1.27f, 0.004f, 0, 0, 0};
    std::copy(std::begin(given), std::end(given), values.begin());
    EXPECT_EQ(through_int8(values), 6U + 2 * 4);
    EXPECT_NEAR(values(0, 0, 0), 0.5f, 1e-6);
    EXPECT_NEAR(values(0, 0, 1), -1.27f, 1e-6);
    EXPECT_EQ(values(0, 0, 2), 0);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(values(0, 1, i), 0);
}

}  // namespace
}  // namespace mm::why
