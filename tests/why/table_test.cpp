// How results are told: the text that page and terminal share, and the JSON.
#include "core/why/table.hpp"

#include <gtest/gtest.h>

#include "tests/why/why_golden.hpp"

namespace mm::why {
namespace {

Result result_of(const char* name, Kind kind, std::optional<std::int64_t> first, double largest) {
    Result result;
    result.name = name;
    result.kind = kind;
    result.first_difference = first;
    result.largest_difference = largest;
    return result;
}

TEST(Table, Text) {
    std::vector<Result> results = {result_of("cache-off", Kind::cache, {}, 0),
                                   result_of("position-0", Kind::bug, 2, 8.0716),
                                   result_of("float16", Kind::trade, {}, 0.00912),
                                   result_of("window-8-pinned-4", Kind::trade, 21, 10.28)};
    results[0].bits_equal = true;
    results[1].kv_bytes = results[1].kv_bytes_formula = 57344;
    results[2].kv_bytes = results[2].kv_bytes_formula = 28672;
    results[3].kv_bytes = 24576;
    results[3].kv_bytes_formula = 24577;
    EXPECT_EQ(table_text(results, nullptr),
              "what was changed            first other token     logits                    bytes  verdict\n"
              "no cache                    none, all bits equal       0                        0  the cache\n"
              "new tokens at position 0    2nd                      8.1                   57,344  a bug\n"
              "K and V kept in float16     none                  0.0091                   28,672  a trade\n"
              "the last 8 and the first 4  21st                      10  24,576 (formula 24,577)  a trade\n");
}

TEST(Table, TextsOfTheRunsFollow) {
    const Tokenizer tokenizer =
        Tokenizer::from_json(test::read_text(test::kDemo / "tokenizer.json"), "tokenizer.json");
    std::vector<Result> results = {result_of("fed-twice", Kind::bug, 1, 1),
                                   result_of("int8", Kind::trade, {}, 1)};
    results[0].ids = {752};
    results[1].ids = results[0].ids_control = results[1].ids_control = {1146};
    const std::string text = table_text(results, &tokenizer);
    EXPECT_NE(
        text.find("\nunchanged, greedy\n  " + tokenizer.decode(std::vector<TokenId>{1146}, false) + "\n"),
        std::string::npos);
    EXPECT_NE(text.find("\nevery new token fed twice\n  민수는\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("\nK and V kept in 8 bits\n"), std::string::npos);
    EXPECT_EQ(text.find("unchanged"), text.rfind("unchanged"));
}

TEST(Table, EveryDefaultHasATitle) {
    for (const std::string& name : default_experiments(4)) {
        EXPECT_NE(title(name), name);
        EXPECT_LE(title(name).size(), 28U) << name;
    }
}

TEST(Table, Json) {
    Result result = result_of("int8", Kind::trade, {}, 0.5);
    result.kv_bytes = result.kv_bytes_formula = 3;
    result.kv_bytes_control = 9;
    result.ids = result.ids_control = {1};
    EXPECT_EQ(
        to_json(std::vector<Result>{result}).dump(),
        R"({"experiments":[{"name":"int8","kind":"trade","first_difference":null,"largest_difference":0.5,"bits_equal":false,)"
        R"("kv_bytes":3,"kv_bytes_formula":3,"kv_bytes_control":9,"ids":[1],"ids_control":[1]}]})");
}

}  // namespace
}  // namespace mm::why
