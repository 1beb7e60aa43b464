// `rng` against PyTorch (values of release 1.13, `torch.manual_seed(S)` and the call named in each test).
#include <gtest/gtest.h>

#include "core/base/json.hpp"
#include "program.hpp"

namespace mm {
namespace {

Json values(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"rng", "--json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_program(all);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const Json found = parse_json(result.out, "rng");
    EXPECT_EQ(found.size(), 1U);
    return found.at("values");
}

TEST(Rng, SeedsOf64Bits) {
    // torch.randint(3, 6400, (5,))
    const std::vector<std::pair<std::string, Json>> expected = {
        {"0", {1472, 5553, 3476, 5489, 2257}},
        {"42", {3146, 4073, 5015, 4691, 1218}},
        {"-1", {3024, 580, 5807, 1424, 6103}},
        {"18446744073709551615", {3024, 580, 5807, 1424, 6103}},
        {"-9223372036854775808", {1472, 5553, 3476, 5489, 2257}},
        {"9007199254740993", {6215, 1481, 1811, 937, 5094}}};  // 2^53 + 1
    for (const auto& [seed, ids] : expected) {
        EXPECT_EQ(values({"--seed", seed, "--op", "randint", "--low", "3", "--high", "6400", "--n", "5"}),
                  ids)
            << seed;
    }
}

TEST(Rng, FloatsReadBackExactly) {
    // .tolist() of torch.rand(3), torch.rand(3, dtype=float64), torch.empty(3).exponential_(), each after
    // seed 42
    EXPECT_EQ(values({"--seed", "42", "--op", "rand", "--n", "3"}),
              Json({0.8822692632675171, 0.9150039553642273, 0.38286375999450684}));
    EXPECT_EQ(values({"--seed", "42", "--op", "rand64", "--n", "3"}),
              Json({0.05815448596142969, 0.06291016742457756, 0.12358607277440903}));
    EXPECT_EQ(values({"--seed", "42", "--op", "exponential", "--n", "3"}),
              Json({0.05991401523351669, 0.06497612595558167, 0.13191677629947662}));
}

TEST(Rng, LinesForPeople) {
    EXPECT_EQ(run_program({"rng", "--seed", "42", "--op", "randint", "--high", "10", "--n", "3"}).out,
              "2\n7\n6\n");
    EXPECT_EQ(run_program({"rng", "--n", "0"}).out, "");
    EXPECT_EQ(values({"--n", "0"}), Json::array());
}

}  // namespace
}  // namespace mm
