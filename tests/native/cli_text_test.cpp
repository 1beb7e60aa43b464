// `tokenize` and `detokenize` as programs: JSON keys, streams, errors with their line. What the ids must be
// is tests/text's business.
#include <gtest/gtest.h>

#include <algorithm>

#include "program_json.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

const std::string kText = "가람 마을의 특산물은 뭐야? <|im_end|> 1+1";

std::string id_list(const Json& ids) {
    std::string list;
    for (const Json& id : ids) list += (list.empty() ? "" : ",") + id.dump();
    return list;
}

TEST(Tokenize, JsonKeysAndBack) {
    const Json found = json_of(run_program({"tokenize", kText, "--json"}));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found.begin().key(), "ids");
    ASSERT_EQ(found.at("pieces").size(), found.at("ids").size());
    EXPECT_TRUE(std::find(found["ids"].begin(), found["ids"].end(), 2) != found["ids"].end())
        << "<|im_end|> is one id";
    const std::string ids = id_list(found["ids"]);
    EXPECT_EQ(json_of(run_program({"detokenize", "--ids", ids, "--json"})), (Json{{"text", kText}}));
    EXPECT_EQ(run_program({"detokenize", "--ids", ids}).out, kText + "\n");
    const std::string skipped =
        json_of(run_program({"detokenize", "--ids", ids, "--skip-special", "--json"}))["text"];
    EXPECT_EQ(skipped.find("im_end"), std::string::npos);
    const std::string people = run_program({"tokenize", kText}).out;
    EXPECT_EQ(people.substr(0, people.find('\n')), ids) << "the first line is what --ids takes";
}

TEST(Tokenize, TextsThatLookLikeSomethingElse) {
    for (const std::string text : {"lab", "--help", "-x", "", "[1,2]", "a=b", "--file="}) {
        const Json found = json_of(run_program({"tokenize", "--json", "--", text}));
        EXPECT_EQ(json_of(run_program({"detokenize", "--json", "--ids", id_list(found["ids"])}))["text"],
                  text);
    }
    EXPECT_EQ(json_of(run_program({"tokenize", "lab", "--json"})),
              json_of(run_program({"tokenize", "--json", "--", "lab"})));
}

TEST(Tokenize, FilesAndStandardInput) {
    const TemporaryFolder folder;
    write_text(folder.path() / "text", kText + "\nsecond line\n");
    const Json file = json_of(run_program({"tokenize", "--file", folder / "text", "--json"}));
    const Json input =
        json_of(run_program({"tokenize", "--file", "-", "--json"}, {.input = kText + "\nsecond line\n"}));
    EXPECT_EQ(file, input);
    write_text(folder.path() / "latin1", "caf\xE9 au lait");
    const ProgramResult refused = run_program({"tokenize", "--file", folder / "latin1", "--json"});
    EXPECT_EQ(refused.status, 3);
    EXPECT_NE(refused.err.find(folder / "latin1" + ": is not UTF-8 at byte 3"), std::string::npos)
        << refused.err;
    EXPECT_EQ(run_program({"tokenize", "--file", folder.str()}).status, 3);
    EXPECT_EQ(run_program({"tokenize", "--file", folder / "none"}).status, 3);
    EXPECT_EQ(run_program({"tokenize", "a", "--tokenizer", folder / "text"}).status, 3);
    EXPECT_EQ(run_program({"tokenize", "a", "--tokenizer", folder.str()}).status, 3);
}

TEST(JsonLines, EachAnswerComesAtOnce) {
    RunningProgram program({"tokenize", "--jsonl", "-"});
    for (const std::string text : {"가람", "", "two\nlines", "\u2028"}) {
        program.send(Json(text).dump() + "\n");
        const Json answer = parse_json(program.read_line(), "answer");
        EXPECT_EQ(answer, json_of(run_program({"tokenize", "--json", "--", text})));
    }
    EXPECT_EQ(program.finish().status, 0);

    RunningProgram back({"detokenize", "--jsonl", "-"});
    back.send("[]\n");
    EXPECT_EQ(back.read_line(), R"({"text": ""})");
    back.send(" [0, 1,2]\r\n");
    EXPECT_EQ(back.read_line(), R"({"text": "<|endoftext|><|im_start|><|im_end|>"})");
    back.send("[3]");  // no line end
    EXPECT_EQ(back.finish().status, 0);
}

TEST(JsonLines, ErrorsNameTheLineAndKeepWhatWasAnswered) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"\"a\"\n3\n\"b\"\n", "line 2: expected a JSON string"},
        {"\"a\"\n\"cut\n", "line 2: not valid JSON"},
        {"\"a\"\n\n\"b\"\n", "line 3: follows a blank line"},
        {"\"a\"\n\"\\ud800\"\n", "line 2: "},
        {"\"a\"\n\"\xFF\"\n", "line 2: "}};
    for (const auto& [input, part] : cases) {
        const ProgramResult result = run_program({"tokenize", "--jsonl", "-"}, {.input = input});
        EXPECT_EQ(result.status, 3);
        EXPECT_NE(result.err.find("mm-native: standard input: " + part), std::string::npos) << result.err;
        EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
    }
    EXPECT_EQ(run_program({"tokenize", "--jsonl", "-"}, {.input = "\"a\"\n\n\n"}).status, 0)
        << "blank lines at the end";
    for (const std::string line : {"3", "[-1]", "[1.5]", "[2147483648]", "[\"1\"]", "{}", "[[1]]"}) {
        const ProgramResult result = run_program({"detokenize", "--jsonl", "-"}, {.input = line + "\n"});
        EXPECT_EQ(result.status, 3) << line;
        EXPECT_NE(result.err.find("standard input: line 1: expected a JSON array of token ids"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace mm
