// TorchGenerator against every field of golden/rng/reference.json (PyTorch's default path, made independently
// of this project), and its own promises.
#include "core/decode/torch_generator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "tests/decode/rng_golden.hpp"

namespace mm {
namespace {

// Kept alive: a range-for over a part of a temporary would read freed memory.
const Json& reference() {
    static const Json all = golden("reference.json");
    return all;
}

TEST(Reference, RawOutputs) {
    for (const Json& entry : reference().at("raw_u32")) {
        TorchGenerator generator = seeded(entry);
        std::uint64_t count = 0;
        for (const Json& value : entry["values"]) {
            EXPECT_EQ(generator.random_u32(), value.get<std::uint32_t>());
            EXPECT_EQ(generator.u32_consumed(), ++count);
        }
        EXPECT_GE(count, 40U);
    }
}

TEST(Reference, Randint) {
    for (const Json& entry : reference().at("randint")) {
        TorchGenerator generator = seeded(entry);
        for (const Json& value : entry["values"]) {
            EXPECT_EQ(generator.randint(entry["low"], entry["high"]), value.get<std::int64_t>());
        }
    }
}

TEST(Reference, Rand) {
    const Json& all = reference();
    for (const Json& entry : all.at("rand_f32")) {
        TorchGenerator generator = seeded(entry);
        for (const Json& value : entry["bits"])
            EXPECT_EQ(bits(generator.rand_f32()), value.get<std::uint32_t>());
    }
    for (const Json& entry : all.at("rand_f64")) {
        TorchGenerator generator = seeded(entry);
        for (const Json& value : entry["bits"]) EXPECT_EQ(bits(generator.rand_f64()), hex64(value));
    }
}

TEST(Reference, Exponential) {
    for (const Json& entry : reference().at("exponential_f32")) {
        const std::size_t n = entry["n"];
        SCOPED_TRACE("seed " + entry["seed"].dump() + ", n " + std::to_string(n));
        TorchGenerator generator = seeded(entry);
        const std::vector<float> values = exponential(generator, n);
        EXPECT_EQ(generator.u32_consumed(), 2 * n);
        EXPECT_EQ(crc32(values), std::stoul(entry["crc32"].get<std::string>(), nullptr, 16));
        EXPECT_EQ(generator.randint(0, std::int64_t{1} << 31),
                  entry["next_randint_0_2p31"].get<std::int64_t>());
        const auto check = [&](const char* field, std::size_t first) {
            if (!entry.contains(field)) return;
            for (const Json& value : entry[field])
                EXPECT_EQ(bits(values[first++]), value.get<std::uint32_t>());
        };
        check("bits", 0);
        check("first8_bits", 0);
        check("last8_bits", n - 8);
    }
}

TEST(Reference, Multinomial) {
    std::vector<float> probs;
    for (const Json& entry : reference().at("multinomial")) {
        SCOPED_TRACE(entry["name"].get<std::string>() + ", seed " + entry["seed"].dump());
        if (entry.contains("prob_bits")) {
            probs.clear();
            for (const Json& value : entry["prob_bits"])
                probs.push_back(float_of(value.get<std::uint32_t>()));
        }
        const std::size_t rows = entry["shape"][0];
        TorchGenerator generator = seeded(entry);
        for (const Json& ids : entry["ids"]) {
            EXPECT_EQ(multinomial(generator, probs, rows), ids.get<std::vector<TokenId>>());
        }
        EXPECT_EQ(generator.randint(0, std::int64_t{1} << 31),
                  entry["next_randint_0_2p31"].get<std::int64_t>());
    }
}

TEST(Reference, MixedOperations) {
    const Json& mixed = reference().at("mixed");
    TorchGenerator generator = seeded(mixed);
    for (const Json& step : mixed["ops"]) {
        const std::string op = step["op"];
        const Json& args = step["args"];
        const auto n = args.back().get<std::size_t>();
        Json values = Json::array();
        for (const float value : exponential(generator, op == "exponential_f32" ? n : 0))
            values.push_back(bits(value));
        for (std::size_t i = 0; i < n && op != "exponential_f32"; ++i) {
            if (op == "randint") values.push_back(generator.randint(args[0], args[1]));
            if (op == "rand_f32") values.push_back(bits(generator.rand_f32()));
            if (op == "rand_f64") values.push_back(bits(generator.rand_f64()));
        }
        ASSERT_EQ(values.size(), n) << op;
        const Json& expected = step[op == "randint" ? "values" : "bits"];
        const std::size_t skip = n - expected.size();  // of long results the file has the end only
        for (std::size_t i = skip; i < n; ++i) {
            const Json& want = expected[i - skip];
            EXPECT_EQ(values[i], want.is_string() ? Json(hex64(want)) : want) << op << " " << i;
        }
    }
}

// ---- properties ----

TEST(TorchGenerator, MultinomialIsTheNaiveRaceOnAwkwardShapes) {
    for (const RngStream stream : rng_streams()) {
        TorchGenerator shapes, fast(stream), naive(stream);
        for (int round = 0; round < 300; ++round) {
            const auto rows = static_cast<std::size_t>(shapes.randint(1, 5));
            const auto vocab = static_cast<std::size_t>(shapes.randint(1, 700));
            std::vector<float> probs(rows * vocab);
            for (float& p : probs) {
                // Equal values, zeros, and sizes from the smallest to the largest.
                p = shapes.randint(0, 3) == 0 ? 0
                                              : std::ldexp(1.0F, static_cast<int>(shapes.randint(-140, 120)));
                if (round % 2 == 0) p = p > 0 ? 0.25F : 0;
            }
            for (std::size_t r = 0; r < rows; ++r) probs[r * vocab + vocab / 2] = 1;
            if (round % 5 == 0) {  // all of them below the smallest normal number, or near it
                for (float& p : probs) p = std::ldexp(p, static_cast<int>(shapes.randint(-149, -90)));
                for (std::size_t r = 0; r < rows; ++r) probs[r * vocab] = std::ldexp(1.0F, -149);
            }
            if (round % 7 == 0) {  // from odd places too
                EXPECT_EQ(fast.random_u32(), naive.random_u32());
            }
            ASSERT_EQ(multinomial(fast, probs, rows), naive_multinomial(naive, probs, rows))
                << "round " << round;
            ASSERT_EQ(fast.u32_consumed(), naive.u32_consumed());
        }
    }
}

TEST(TorchGenerator, MultinomialRefusesWhatPyTorchRefuses) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    for (const std::vector<float>& probs : std::initializer_list<std::vector<float>>{
             {1, 1, -0.5F}, {1, kInf, 0}, {kNaN, 1, 1}, {0, 0, 0}, {0, -0.0F, 0}}) {
        TorchGenerator generator;
        std::vector<TokenId> ids(1);
        try {
            generator.multinomial(probs, 1, 3, ids);
            ADD_FAILURE() << "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::range);
            EXPECT_NE(std::string(error.what()).find("probabilities: row 0"), std::string::npos)
                << error.what();
        }
        EXPECT_EQ(generator.u32_consumed(), 0U);
    }
    TorchGenerator generator;
    std::vector<TokenId> ids(1);
    EXPECT_THROW(generator.multinomial({}, 1, 0, ids), Error);
}

TEST(TorchGenerator, RandintTakesTheWholeRange) {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    TorchGenerator generator, raw;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t expected = static_cast<std::uint64_t>(kMin) + raw.random_u64() % UINT64_MAX;
        EXPECT_EQ(generator.randint(kMin, kMax), static_cast<std::int64_t>(expected));
    }
    EXPECT_EQ(generator.randint(7, 8), 7);
    EXPECT_THROW(generator.randint(3, 3), Error);
    EXPECT_THROW(generator.randint(4, 3), Error);
}

TEST(TorchGenerator, SeedingRestartsEverything) {
    TorchGenerator generator;
    const std::uint32_t fresh = generator.random_u32();
    generator.manual_seed(67280421310721U);  // torch.Generator().initial_seed()
    EXPECT_EQ(generator.random_u32(), fresh);
    generator.manual_seed(5);
    const std::uint32_t five = generator.random_u32();
    generator.manual_seed((std::uint64_t{9} << 32) + 5);
    EXPECT_EQ(generator.u32_consumed(), 0U);
    EXPECT_EQ(generator.random_u32(), five) << "only the low 32 bits of a seed matter";
}

TEST(TorchGenerator, EmptyCallsConsumeNothing) {
    for (const RngStream stream : rng_streams()) {
        TorchGenerator generator(stream);
        generator.exponential_({});
        generator.multinomial({}, 0, 5, {});
        EXPECT_EQ(generator.u32_consumed(), 0U) << to_string(stream);
    }
}

TEST(RngStream, NamesReadBack) {
    for (const RngStream stream : rng_streams()) EXPECT_EQ(parse_rng_stream(to_string(stream)), stream);
    EXPECT_EQ(rng_streams().front(), RngStream::torch);
    try {
        parse_rng_stream("numpy");
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "rng: unknown random stream 'numpy' (known: torch, torch-mkl, torch-2.7)");
    }
}

}  // namespace
}  // namespace mm
