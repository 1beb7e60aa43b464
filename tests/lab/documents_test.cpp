#include "core/lab/documents.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace mm {
namespace {

using Texts = std::vector<std::string>;

std::string error_of(std::string_view jsonl, std::size_t count = 6) {
    try {
        read_documents(jsonl, "val.jsonl", count);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::format);
        return error.what();
    }
    return "no error";
}

TEST(ReadDocuments, TakesTheFirstTextsInOrder) {
    const std::string_view three =
        "{\"text\": \"하나\"}\n{\"id\": 7, \"text\": \"둘\"}\n{\"text\": \"셋\"}\n";
    EXPECT_EQ(read_documents(three, "f", 2), (Texts{"하나", "둘"}));
    EXPECT_EQ(read_documents(three, "f", 6), (Texts{"하나", "둘", "셋"}));
    EXPECT_EQ(read_documents(three, "f", 0), Texts{});
    EXPECT_EQ(read_documents("{\"text\": \"\"}\n{\"text\": \"a\"}", "f", 6), (Texts{"", "a"}));
}

TEST(ReadDocuments, AcceptsEveryLineEndAndBlankLines) {
    EXPECT_EQ(read_documents(
                  "\xEF\xBB\xBF{\"text\": \"a\"}\r\n\r\n \t\r\n{\"text\": \"b\"}\r{\"text\": \"c\"}", "f", 6),
              (Texts{"a", "b", "c"}));
    EXPECT_EQ(read_documents("\n\n{\"text\": \"x\\r\\ny\\u2028z\"}\n", "f", 1), Texts{"x\r\ny\xE2\x80\xA8z"});
}

TEST(ReadDocuments, LooksAtNoLineItDoesNotNeed) {
    EXPECT_EQ(read_documents("{\"text\": \"a\"}\nnot json\n", "f", 1), Texts{"a"});
}

// One line number, and the reason in the words the grader has for it.
TEST(ReadDocuments, SaysWhatWindowsAndPythonWrote) {
    EXPECT_EQ(error_of("{\"text\": \"a\"}\n{\"text\": \"b\", \"loss\": NaN}"),
              "val.jsonl: line 2: there is a NaN or an Infinity at column 23; JSON has no such number");
    EXPECT_NE(error_of("{\"loss\": -Infinity}").find("line 1: there is a NaN or an Infinity"),
              std::string::npos);
    EXPECT_EQ(error_of("\xFF\xFE{"), "val.jsonl: the file is UTF-16");
    EXPECT_EQ(error_of(std::string("{\0\"\0", 4)), "val.jsonl: the file is UTF-16");
    const std::string cut = error_of("\n\n{\"text\": \"a\"");
    EXPECT_EQ(cut.find("line 1"), std::string::npos) << cut;
    EXPECT_TRUE(cut.starts_with("val.jsonl: line 3: not valid JSON: column 13: ")) << cut;
}

TEST(ReadDocuments, NamesFileAndLine) {
    EXPECT_NE(error_of("{\"text\": \"a\"}\n\nnot json").find("val.jsonl: line 3: not valid JSON"),
              std::string::npos);
    EXPECT_NE(error_of("{\"text\": \"a\"}\r\n\r\n{\"text\": \"cut").find("val.jsonl: line 3: "),
              std::string::npos);
    EXPECT_EQ(error_of("{\"txt\": \"a\"}"), "val.jsonl: line 1: text: the field is missing");
    EXPECT_EQ(error_of("{\"text\": 5}"), "val.jsonl: line 1: text: must be a string, is number");
    EXPECT_EQ(error_of("{\"text\": null}"), "val.jsonl: line 1: text: must be a string, is null");
    EXPECT_EQ(error_of("[\"text\"]"), "val.jsonl: line 1: the line must hold a JSON object");
    EXPECT_EQ(error_of("{\"text\": \"a\", \"text\": \"b\"}"),
              "val.jsonl: line 1: text: the key is given twice");
    EXPECT_NE(error_of("{\"text\": \"\\ud83d\"}").find("val.jsonl: line 1: "), std::string::npos);
    EXPECT_NE(error_of("{\"text\": \"\xFF\"}").find("val.jsonl: line 1: "), std::string::npos);
    EXPECT_NE(error_of("{\"text\": \"a\"} {\"text\": \"b\"}").find("val.jsonl: line 1: "), std::string::npos);
    EXPECT_NE(error_of(std::string(100000, '[')).find("line 1: JSON is nested deeper"), std::string::npos);
    EXPECT_NE(error_of({"{\"text\": \"a\"}\0garbage", 21}).find("line 1: not valid JSON"), std::string::npos);
    for (const char* none : {"", "\n \r\n", "\xEF\xBB\xBF", "{\"text\": \"\"}"}) {
        EXPECT_EQ(error_of(none), "val.jsonl: holds no document with text") << none;
    }
}

}  // namespace
}  // namespace mm
