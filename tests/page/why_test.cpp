// The why section's calls on the demo: they hand on what core/why gives (tests/why compares that with
// PyTorch), and refuse what is not there.
#include <gtest/gtest.h>

#include "bench.hpp"
#include "core/lab/json_text.hpp"
#include "core/why/table.hpp"

namespace mm::page {
namespace {

const std::vector<TokenId> kIds = {1, 752, 1146, 1173, 721, 756, 280};  // five of the prompt, two new
const Json kPrompt = {{"kind", "text"}, {"text", "민수는 강아지 보리와"}};

struct WhyCalls : Bench {
    void SetUp() override { open_one(pretrain); }
    /// Of a call, or of the work that it began.
    std::string refusal(const char* name, const Json& params) {
        try {
            work(name, params);
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing was refused";
    }
};

TEST_F(WhyCalls, AttentionOfTheNewestTokens) {
    const Json params = {{"ids", kIds}, {"layer", 1}, {"head", 3}, {"window", 100}};
    const Json all = work("attention", params);
    EXPECT_EQ(all["from"], 0);
    EXPECT_EQ(all["kvHead"], 1);
    const reference::Weights weights(bench.loaded("pretrain").model);
    const why::Attention expected = run(why::attention_in_steps(weights, kIds, 1, 3));
    EXPECT_EQ(all["weights"], why::to_json(expected.weights));
    EXPECT_EQ(all["k"], why::to_json(expected.k));
    EXPECT_EQ(all["v"], why::to_json(expected.v));
    const Json part = work("attention", {{"ids", kIds}, {"layer", 1}, {"head", 3}, {"window", 3}});
    EXPECT_EQ(part["from"], 4);
    ASSERT_EQ(part["weights"].size(), 3u);
    ASSERT_EQ(part["k"].size(), 3u);
    for (std::size_t r = 0; r < 3; ++r) {
        double sum = part["folded"][r].get<double>();
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(part["weights"][r][c], all["weights"][r + 4][c + 4]);
            sum += part["weights"][r][c].get<double>();
        }
        EXPECT_NEAR(sum, 1, 1e-5);
        EXPECT_GT(part["folded"][r], 0);
    }
}

TEST_F(WhyCalls, OldKeysAndValuesWithTheMaskAndWithout) {
    Json params = {{"ids", kIds}, {"promptLength", 5}, {"layer", 2},
                   {"kvHead", 0}, {"causal", 1},       {"window", 4}};
    const Json with = work("oldKv", params);
    EXPECT_EQ(with["bits"], 2 * 4 * 7 * 2 * 32 * 32);
    EXPECT_EQ(with["bitsDiffering"], 0);
    EXPECT_EQ(with["largestLogitDifference"], 0);
    EXPECT_EQ(with["kStored"], with["kAgain"]);
    EXPECT_EQ(with["kStored"].size(), 4u);
    EXPECT_EQ(with["nextWithCache"], with["nextWithoutCache"]);
    params["causal"] = 0;
    const Json without = work("oldKv", params);
    EXPECT_GT(without["bitsDiffering"], 0);
    EXPECT_EQ(without["layers"][0]["bitsDiffering"], 0);
    EXPECT_GT(without["layers"][3]["bitsDiffering"], 0);
    EXPECT_NE(without["kStored"], without["kAgain"]);
    EXPECT_GT(without["largestLogitDifference"], 0);
}

TEST_F(WhyCalls, ExperimentsAndTheirTable) {
    const Json list = bench.call("experiments", {});
    ASSERT_EQ(list.size(), 17u);
    EXPECT_EQ(list[4],
              (Json{{"name", "position-0"}, {"kind", "bug"}, {"title", "new tokens at position 0"}}));
    const Json found = work("experiment", {{"name", "position-0"}, {"prompt", kPrompt}});
    EXPECT_EQ(found["firstDifference"], 2);
    EXPECT_EQ(found["kvBytes"], found["kvBytesFormula"]);
    EXPECT_EQ(found["tokens"].size(), 24u);
    EXPECT_EQ(found["tokens"][0], found["tokensControl"][0]);
    EXPECT_NE(found["tokens"][1], found["tokensControl"][1]);
    const Json same = work("experiment", {{"name", "cache-off"}, {"prompt", kPrompt}});
    EXPECT_EQ(same["firstDifference"], nullptr);
    EXPECT_EQ(same["bitsEqual"], true);
    work("experiment", {{"name", "position-0"}, {"prompt", kPrompt}});

    const auto& loaded = bench.loaded("pretrain");
    const reference::Weights weights(loaded.model);
    why::Experiments experiments(weights, {.prompt = bench.prompt_ids(kPrompt, loaded),
                                           .left_over = why::left_over_ids(loaded.tokenizer, 1)});
    const std::vector<why::Result> results = {run(experiments.in_steps("position-0")),
                                              run(experiments.in_steps("cache-off"))};
    const Json table = bench.call("whyTable", {});
    EXPECT_EQ(table["text"], why::table_text(results, &loaded.tokenizer));
    EXPECT_EQ(table["json"], json_text(why::to_json(results)));

    work("experiment", {{"name", "int8"}, {"prompt", {{"kind", "ids"}, {"ids", {1, 752}}}}});
    EXPECT_EQ(parse_json(bench.call("whyTable", {})["json"].get<std::string>(), "")["experiments"].size(), 1u)
        << "another prompt's results are not told together";
}

TEST_F(WhyCalls, OneDraw) {
    const Json position = {{"prompt", kPrompt}};
    const Json found =
        bench.call("draw", {{"position", position}, {"temperature", 1.5}, {"seed", "3"}, {"entries", 6}});
    ASSERT_EQ(found["racers"].size(), 6u);
    EXPECT_EQ(found["racers"][0], found["winner"]);
    EXPECT_EQ(found["likeliest"]["rank"], 0);
    EXPECT_EQ(found["winners"][0]["from"], 0);
    EXPECT_EQ(found["winners"][0]["token"], found["likeliest"]["token"]);
    const Json colder =
        bench.call("draw", {{"position", position}, {"temperature", 0.5}, {"seed", "3"}, {"entries", 6}});
    EXPECT_EQ(colder["likeliest"]["noise"], found["likeliest"]["noise"]);
    EXPECT_EQ(colder["winners"], found["winners"]);
}

TEST_F(WhyCalls, AnotherModelEndsThem) {
    work("experiment", {{"name", "int8"}, {"prompt", kPrompt}});
    bench.call("experiment", {{"name", "float16"}, {"prompt", kPrompt}});
    open_one(pretrain);
    EXPECT_EQ(refusal("advance", {{"milliseconds", 1}}), "no work was begun");
    EXPECT_EQ(parse_json(bench.call("whyTable", {})["json"].get<std::string>(), "")["experiments"].size(),
              0u);
    EXPECT_EQ(work("experiment", {{"name", "int8"}, {"prompt", kPrompt}})["firstDifference"], nullptr);
}

TEST_F(WhyCalls, RefuseWhatIsNotThere) {
    const auto refuses = [&](const char* name, const Json& params, const char* part) {
        const std::string said = refusal(name, params);
        EXPECT_NE(said.find(part), std::string::npos) << name << ": " << said;
    };
    refuses("attention", {{"ids", kIds}, {"layer", 4}, {"head", 0}, {"window", 9}}, "layer");
    refuses("attention", {{"ids", kIds}, {"layer", 0}, {"head", 4}, {"window", 9}}, "head");
    refuses("attention", {{"ids", kIds}, {"layer", 0}, {"head", 0}, {"window", 0}}, "window");
    refuses("attention", {{"ids", Json::array()}, {"layer", 0}, {"head", 0}, {"window", 9}}, "ids");
    refuses("attention", {{"ids", {1800}}, {"layer", 0}, {"head", 0}, {"window", 9}}, "ids");
    const auto old_kv = [](int prompt_length, int kv_head) {
        return Json{{"ids", kIds}, {"promptLength", prompt_length},
                    {"layer", 0},  {"kvHead", kv_head},
                    {"causal", 1}, {"window", 9}};
    };
    refuses("oldKv", old_kv(0, 0), "promptLength");
    refuses("oldKv", old_kv(8, 0), "promptLength");
    refuses("oldKv", old_kv(5, 2), "kvHead");
    refuses("experiment", {{"name", "float8"}, {"prompt", kPrompt}}, "float8");
    refuses("experiment", {{"name", "int8"}, {"prompt", {{"kind", "ids"}, {"ids", Json::array()}}}}, "ids");
    refuses("draw", {{"position", {{"step", 0}}}, {"temperature", 1}, {"seed", "0"}, {"entries", 1}},
            "decode scene");
    refuses("draw",
            {{"position", {{"prompt", kPrompt}}}, {"temperature", 2.5}, {"seed", "0"}, {"entries", 1}},
            "temperature");
}

}  // namespace
}  // namespace mm::page
