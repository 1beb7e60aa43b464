#include "core/base/json.hpp"

#include <gtest/gtest.h>

namespace mm {
namespace {

std::string reason(std::string_view text, const JsonLimits& limits = {}) {
    try {
        parse_json(text, "f.json", limits);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::format);
        return error.what();
    }
    return "";
}

TEST(Json, KeepsKeyOrder) {
    const Json parsed = parse_json(R"({"b": 1, "a": [2, {"c": null}]})", "f.json");
    EXPECT_EQ(parsed.dump(), R"({"b":1,"a":[2,{"c":null}]})");
}

TEST(Json, AllowsAByteOrderMark) {
    EXPECT_EQ(parse_json("\xEF\xBB\xBF[1]", "f.json").dump(), "[1]");
}

TEST(Json, RefusesDepthBeforeParsing) {
    EXPECT_NE(reason(std::string(20000, '[')).find("f.json: JSON is nested deeper than 64"),
              std::string::npos);
    EXPECT_EQ(reason("[\"" + std::string(200, '[') + "\"]"), "") << "brackets in a string have no depth";
    EXPECT_EQ(reason(R"(["\"[[[", 1])", {.max_depth = 1}), "") << "an escaped quote does not end the string";
}

TEST(Json, RefusesWhatIsNotJson) {
    for (const char* text : {"", "{", "[1,]", "nul", "[1] 2", "{\"a\":NaN}", "\"\xFF\"", "[\"a\nb\"]"}) {
        const std::string line = reason(text);
        EXPECT_EQ(line.find("f.json: not valid JSON: "), 0U) << text << " → " << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }
    EXPECT_EQ(reason(std::string_view("[1]\0[2]", 7)),
              "f.json: not valid JSON: parse error at byte 4: a NUL byte");
    EXPECT_NE(reason(std::string_view("[1]\0", 4)), "") << "NUL ends no text";
    EXPECT_EQ(reason("[\"\\u0000\"]"), "") << "written as JSON writes it, it is a character like any other";
}

TEST(Json, NamesTheByteWhereALongStringGoesWrong) {
    const std::string text(3'000'000, 'a');
    const auto of = [&](const std::string& end) { return reason("[\"" + text + end); };
    const std::string begins = "f.json: not valid JSON: parse error at byte ";
    EXPECT_EQ(of(""), begins + "3000003: a string is not closed");
    EXPECT_EQ(of("\\"), begins + "3000004: a string is not closed");
    EXPECT_EQ(of("\n\"]"), begins + "3000003: invalid in a string");
    EXPECT_EQ(of("\xFF\"]"), begins + "3000003: invalid in a string");
    EXPECT_EQ(of("\\q\"]"), begins + "3000003: invalid in a string");
    EXPECT_EQ(of("\\\"\\u00e9\"]"), "");
    EXPECT_NE(of("\", \"b"), "") << "what follows is told as ever";
    EXPECT_EQ(of("\", \"\\\\\"]"), "");
}

TEST(Json, RefusesAKeyGivenTwice) {
    EXPECT_EQ(reason(R"({"a": 1, "b": {"a": 1}, "a": 2})"), "f.json: a: the key is given twice");
    EXPECT_EQ(reason(R"([{"a": 1}, {"a": 1}])"), "");
}

// Looking through the earlier keys for every key, as nlohmann's own parser does, would be 5 · 10¹¹
// comparisons here: half an hour, where the test's time limit is minutes.
TEST(Json, TakesAMillionKeys) {
    std::string text = "{";
    for (int i = 0; i < 1000000; ++i) text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
    const Json parsed = parse_json(text + "}", "f.json");
    ASSERT_EQ(parsed.size(), 1000000U);
    EXPECT_EQ(parsed.front(), 0);
    EXPECT_EQ((--parsed.end()).key(), "999999");
    EXPECT_EQ(reason(text + ",\"7\":0}"), "f.json: 7: the key is given twice");
}

TEST(Json, RefusesTooManyValues) {
    EXPECT_EQ(reason("[1, {\"a\": 2}]", {.max_values = 4}), "");
    EXPECT_EQ(reason("[1, {\"a\": 2}]", {.max_values = 3}), "f.json: JSON holds more than 3 values");
    std::string zeros(std::size_t{9} << 20, '0');
    for (std::size_t i = 1; i < zeros.size(); i += 2) zeros[i] = ',';
    EXPECT_EQ(reason("[" + zeros), "f.json: JSON holds more than 4000000 values");
}

TEST(Json, RefusesTooManyBytes) {
    EXPECT_EQ(reason("[1, 2]", {.max_bytes = 3}), "f.json: JSON of 6 bytes is over the limit of 3");
}

}  // namespace
}  // namespace mm
