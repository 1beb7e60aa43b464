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
}

TEST(Json, RefusesAKeyGivenTwice) {
    EXPECT_EQ(reason(R"({"a": 1, "b": {"a": 1}, "a": 2})"), "f.json: a: the key is given twice");
    EXPECT_EQ(reason(R"([{"a": 1}, {"a": 1}])"), "");
}

TEST(Json, RefusesTooManyBytes) {
    EXPECT_EQ(reason("[1, 2]", {.max_bytes = 3}), "f.json: JSON of 6 bytes is over the limit of 3");
}

}  // namespace
}  // namespace mm
