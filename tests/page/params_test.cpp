// Parameters a page may send: what is taken, and what is refused by name.
#include "core/page/params.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace mm::page {
namespace {

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::range);
        return error.what();
    }
    return "nothing was refused";
}

TEST(Params, TakesWhatItAsksFor) {
    const Json params = Json::parse(R"({"t": "글", "n": 0.5, "i": -3, "l": [1, 2], "o": {"a": 1}})");
    EXPECT_EQ(text(params, "t"), "글");
    EXPECT_EQ(number(params, "n"), 0.5);
    EXPECT_EQ(number(params, "i"), -3);
    EXPECT_EQ(integer(params, "i", -3, 0), -3);
    EXPECT_EQ(integers(params, "l", 1, 2), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(object(params, "o")["a"], 1);
}

TEST(Params, RefusesByName) {
    const Json params = Json::parse(
        R"({"n": null, "half": 1.5, "huge": 1e300, "over": 9223372036854775808, "list": [1, "2"], "b": true})");
    EXPECT_EQ(refusal([&] { text(params, "gone"); }), "gone: is missing; expected a string");
    EXPECT_EQ(refusal([&] { number(params, "n"); }), "n: is null; expected a number");
    EXPECT_EQ(refusal([&] { number(params, "b"); }), "b: is boolean; expected a number");
    for (const char* name : {"half", "huge", "over"}) {
        EXPECT_EQ(refusal([&] { integer(params, name, 0, 9); }),
                  std::string(name) + ": must be a whole number in 0 … 9");
    }
    EXPECT_EQ(refusal([&] { integers(params, "list", 0, 9); }), "list: must be a whole number in 0 … 9");
    EXPECT_EQ(refusal([&] { object(params, "list"); }), "list: is array; expected an object");
    EXPECT_EQ(refusal([&] { objects(params, "list"); }), "list: must hold objects only");
    EXPECT_EQ(refusal([] { text(Json::array(), "x"); }), "x: is missing; expected a string");
}

TEST(Params, SeedsAreSixtyFourBitsWide) {
    const auto of = [](const char* digits) { return seed(Json{{"seed", digits}}, "seed"); };
    EXPECT_EQ(of("0"), 0u);
    EXPECT_EQ(of("18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(of("9007199254740993"), 9007199254740993u);  // not a JavaScript number
    EXPECT_EQ(of("-1"), UINT64_MAX);
    EXPECT_EQ(of("-9223372036854775808"), std::uint64_t{1} << 63);
    for (const char* wrong :
         {"", "-", "1.5", "18446744073709551616", "-9223372036854775809", "1n", " 1", "NaN"}) {
        EXPECT_NE(refusal([&] { of(wrong); }), "nothing was refused") << wrong;
    }
}

TEST(Fields, KeepsTypesAndOrder) {
    const Json json = Fields()
                          .set("b", true)
                          .set("i", std::uint64_t{7})
                          .set("f", 0.5f)
                          .set("t", "글")
                          .set("o", Fields().set("x", 1))
                          .set("n", Json());
    EXPECT_EQ(json.dump(), R"({"b":true,"i":7,"f":0.5,"t":"글","o":{"x":1},"n":null})");
}

}  // namespace
}  // namespace mm::page
