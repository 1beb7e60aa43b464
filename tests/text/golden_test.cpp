// Every case of the tokenizer goldens: encode, decode with and without special tokens, streaming decode and
// flush.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.hpp"
#include "core/text/tokenizer.hpp"
#include "tests/text/helpers.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

using Ids = std::vector<TokenId>;

void check_encode(const Tokenizer& tokenizer, const Json& golden) {
    for (const Json& item : golden["encode"]) {
        const auto text = item["text"].get<std::string>();
        const auto ids = item["ids"].get<Ids>();
        EXPECT_EQ(tokenizer.encode(text, item["add_special_tokens"].get<bool>()), ids) << text;
        EXPECT_EQ(tokenizer.decode(ids), item["decoded"].get<std::string>()) << text;
        EXPECT_EQ(tokenizer.decode(ids, true), item["decoded_skip_special"].get<std::string>()) << text;
    }
}

void check_decode(const Tokenizer& tokenizer, const Json& golden, bool skip) {
    const std::string suffix = skip ? "_skip_special" : "";
    for (const Json& item : golden["decode"]) {
        const auto ids = item["ids"].get<Ids>();
        EXPECT_EQ(tokenizer.decode(ids, skip), item["decoded" + suffix].get<std::string>()) << item["label"];
        StreamDecoder stream = tokenizer.stream(skip);
        std::vector<std::string> released;
        for (const TokenId id : ids) released.push_back(stream.push(id));
        EXPECT_EQ(released, item["stream" + suffix].get<std::vector<std::string>>()) << item["label"];
        EXPECT_EQ(stream.flush(), item["stream_flush" + suffix].get<std::string>()) << item["label"];
    }
}

void check_golden(const fs::path& golden_path) {
    SCOPED_TRACE(golden_path.filename());
    const Json golden = parse_json(read_file(golden_path), golden_path.string());
    ASSERT_FALSE(golden["encode"].empty());
    // "variants/x_golden.json" and "x_golden.json" both speak of "tokenizers/x.json".
    fs::path tokenizer_path = golden_path.parent_path() / golden["tokenizer"]["file"].get<std::string>();
    if (!fs::exists(tokenizer_path)) {
        tokenizer_path =
            golden_path.parent_path().parent_path() / golden["tokenizer"]["file"].get<std::string>();
    }
    const Tokenizer tokenizer = Tokenizer::from_json(read_file(tokenizer_path), tokenizer_path.string());
    check_encode(tokenizer, golden);
    if (!golden.contains("decode")) return;
    check_decode(tokenizer, golden, false);
    check_decode(tokenizer, golden, true);
}

TEST(TokenizerGolden, EveryCase) {
    int files = 0;
    for (const fs::path& folder : {kGolden, kGolden / "variants"}) {
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            if (!name.ends_with("_golden.json") || name == "chat_golden.json") continue;
            check_golden(entry.path());
            ++files;
        }
    }
    EXPECT_EQ(files, 19);
}

TEST(TokenizerGolden, MiniMind) {
    if (!fs::exists(kShared / "tokenizer_golden.json"))
        GTEST_SKIP() << "MiniMind's tokenizer.json is not here";
    check_golden(kShared / "tokenizer_golden.json");
}

}  // namespace
}  // namespace mm
