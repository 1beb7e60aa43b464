// Where a tokenizer is looked for, in which order, and what is skipped.
#include "native/loading/tokenizer_search.hpp"

#include <gtest/gtest.h>

#include "native/loading/lab_source.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

// A byte-level BPE tokenizer whose largest id is `max_id`.
std::string tokenizer_json(TokenId max_id) {
    std::string vocab;
    for (TokenId id = 0; id < max_id; ++id)
        vocab += "\"x" + std::to_string(id) + "\": " + std::to_string(id) + ", ";
    return R"({"version": "1.0", "added_tokens": [], "normalizer": null,
               "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
               "post_processor": null,
               "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
               "model": {"type": "BPE", "vocab": {)" +
           vocab + "\"last\": " + std::to_string(max_id) + R"(}, "merges": []}})";
}

class TokenizerSearch : public ::testing::Test {
  protected:
    void put(const std::string& path, TokenId max_id) {
        const std::filesystem::path file = folder_.path() / path;
        std::filesystem::create_directories(file.parent_path());
        write_text(file, tokenizer_json(max_id));
    }
    TokenizerQuery query() const {
        return {
            .checkpoint = folder_ / "own/model.pth", .ref = folder_ / "REF", .given = {}, .vocab_size = 10};
    }
    // Puts a fitting tokenizer at `path` and expects it to be the one found; ids tell them apart.
    TokenId found() {
        const FoundTokenizer result = find_tokenizer(query(), console_);
        return result.tokenizer ? result.tokenizer->max_id() : -1;
    }

    TemporaryFolder folder_;
    Console console_;
};

TEST_F(TokenizerSearch, OrderOfPlaces) {
    EXPECT_EQ(found(), -1);
    put("REF/tokenizer.json", 4);
    EXPECT_EQ(found(), 4);
    put("REF/ref/tokenizer.json", 5);
    EXPECT_EQ(found(), 5);
    put("REF/tokenizer/tokenizer.json", 6);
    EXPECT_EQ(found(), 6);
    put("own/tokenizer.json", 7);
    EXPECT_EQ(found(), 7);
    put("own/tokenizer.json", 10);
    EXPECT_EQ(found(), 6) << "id 10 is not in a vocabulary of 10";
    put("own/tokenizer.json", 9);
    EXPECT_EQ(found(), 9);
}

TEST_F(TokenizerSearch, APlaceMayBeTheFile) {
    put("REF/tokenizer", 6);
    EXPECT_EQ(found(), 6);
}

TEST_F(TokenizerSearch, ListsEveryPlaceTried) {
    try {
        require_tokenizer(query(), console_);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::tokenizer);
        for (const char* place : {"own,", "REF/tokenizer,", "REF/ref,", "REF"}) {
            EXPECT_NE(error.message().find(folder_ / place), std::string::npos) << error.what();
        }
        EXPECT_EQ(error.message().find("/opt/minimind"), std::string::npos) << "of the official layout only";
    }
    EXPECT_EQ(
        tokenizer_places("/opt/mm/ref/sft.pth", "/opt/mm/"),
        (std::vector<std::string>{"/opt/mm/ref", "/opt/mm/tokenizer", "/opt/mm/", "/opt/minimind/model"}));
    EXPECT_EQ(tokenizer_places("model.pth", "/x").front(), ".");
}

TEST_F(TokenizerSearch, AGivenOneMustFit) {
    put("elsewhere/tokenizer.json", 10);
    put("own/tokenizer.json", 7);
    TokenizerQuery given = query();
    given.given = folder_ / "elsewhere";
    try {
        find_tokenizer(given, console_);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::tokenizer);
        EXPECT_EQ(error.context().file, folder_ / "elsewhere");
    }
    put("elsewhere/tokenizer.json", 8);
    EXPECT_EQ(find_tokenizer(given, console_).tokenizer->max_id(), 8);
    given.given = folder_ / "nowhere";
    EXPECT_THROW(find_tokenizer(given, console_), Error);
}

TEST_F(TokenizerSearch, ABrokenOneIsAnErrorNotAReasonToTakeAnother) {
    put("REF/tokenizer.json", 4);
    put("own/tokenizer.json", 7);
    write_text(folder_.path() / "own/tokenizer.json", "{\"model\": ");
    EXPECT_THROW(find_tokenizer(query(), console_), Error);
}

TEST(LabSource, DefaultsAndKinds) {
    const LabNeeds all;
    const LabSource ref = choose_lab_source({.ref = "/somewhere"}, all);
    EXPECT_EQ(ref.kind, "ref");
    EXPECT_EQ(ref.pretrain, "/somewhere/ref/pretrain.pth");
    EXPECT_EQ(ref.sft, "/somewhere/ref/sft.pth");
    EXPECT_EQ(ref.documents, "/somewhere/data/pretrain_val.jsonl");
    EXPECT_EQ(ref.out, "./infer");
    const LabSource official = choose_lab_source({.ref = "/opt/mm/"}, all);
    EXPECT_EQ(official.kind, "official");
    EXPECT_EQ(official.out, "/root/mm/infer");
    EXPECT_EQ(choose_lab_source({.ref = "/opt/mm", .out = "x"}, all).out, "x");
    EXPECT_EQ(choose_lab_source({.ref = "/opt/mm", .pretrain = "own.pth"}, all).kind, "ref");
    const LabSource demo = choose_lab_source({.pretrain = "demo:pretrain", .sft = "demo:sft"}, all);
    EXPECT_EQ(demo.kind, "demo");
    EXPECT_THROW(choose_lab_source({.pretrain = "demo:pretrain", .sft = "own.pth"}, all), Error);
    EXPECT_THROW(choose_lab_source({.ref = "/somewhere", .sft = "demo:sft"}, all), Error);
    EXPECT_EQ(
        choose_lab_source({.ref = "/somewhere", .sft = "demo:sft"}, {.pretrain = false, .documents = false})
            .sft,
        "demo:sft");
}

}  // namespace
}  // namespace mm
