// The tokenizer as its callers know it: there and back, streams, ids and pieces, long texts, and files that
// are broken, hostile or ask for what is not done.
#include "core/text/tokenizer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "core/base/error.hpp"
#include "core/text/huggingface/normalization.hpp"
#include "tests/text/helpers.hpp"

namespace mm {
namespace {

Tokenizer golden_tokenizer(const std::string& name) {
    const auto path = kGolden / "tokenizers" / name;
    return Tokenizer::from_json(read_file(path), path.string());
}

Tokenizer from(const Json& document) {
    return Tokenizer::from_json(document.dump(), "t.json");
}

std::string random_text(std::mt19937& random) {
    const char* atoms[] = {" ",
                           "  ",
                           "\n",
                           "a",
                           "Hello",
                           "'ll",
                           "123",
                           "가람 마을의",
                           "특산물",
                           "\u1100\u1161",
                           "e\u0301",
                           "😀",
                           "\U0001F468\u200D\U0001F469",
                           "\u3000",
                           "<|im_end|>",
                           "<|im_",
                           "漢字",
                           "\uFFFD",
                           "\x01",
                           "ﬁ",
                           "²"};
    std::string out;
    for (auto n = random() % 30; n > 0; --n) out += atoms[random() % std::size(atoms)];
    return out;
}

TEST(Tokenizer, ThereAndBack) {
    std::mt19937 random(3);
    for (const char* name : {"ko_old.json", "ko_new.json", "var_digits.json", "var_ignore_merges_true.json",
                             "var_split_removed_invert.json", "var_rank_order.json"}) {
        const Tokenizer tokenizer = golden_tokenizer(name);
        for (int i = 0; i < 500; ++i) {
            const std::string text = random_text(random);
            ASSERT_EQ(tokenizer.decode(tokenizer.encode(text)), text) << name;
        }
    }
}

TEST(Tokenizer, StreamEqualsDecode) {
    std::mt19937 random(5);
    const Tokenizer tokenizer = golden_tokenizer("var_added_flags.json");
    for (int i = 0; i < 3000; ++i) {
        std::vector<TokenId> ids;
        for (auto n = random() % 15; n > 0; --n) ids.push_back(static_cast<TokenId>(random() % 1040) - 2);
        for (const bool skip : {false, true}) {
            StreamDecoder stream = tokenizer.stream(skip);
            std::string joined;
            for (const TokenId id : ids) joined += stream.push(id);
            joined += stream.flush();
            ASSERT_EQ(joined, tokenizer.decode(ids, skip));
        }
    }
}

TEST(Tokenizer, IdsAndPieces) {
    const Tokenizer tokenizer = golden_tokenizer("var_added_flags.json");
    EXPECT_EQ(tokenizer.vocab_size(), 1033u);
    EXPECT_EQ(tokenizer.max_id(), 1032);
    EXPECT_EQ(tokenizer.token_to_id("<|im_start|>"), 1);
    EXPECT_EQ(tokenizer.token_to_id("<think>"), 1024);
    EXPECT_EQ(tokenizer.token_to_id("no such token"), std::nullopt);
    EXPECT_TRUE(tokenizer.is_special(1));
    EXPECT_FALSE(tokenizer.is_special(1024));
    EXPECT_EQ(tokenizer.piece(1024), "<think>");
    EXPECT_EQ(tokenizer.piece(*tokenizer.token_to_id("Ġ")), "Ġ");
    EXPECT_EQ(tokenizer.bytes(*tokenizer.token_to_id("Ġ")), " ");
    for (const TokenId none : {-1, 1033, 1 << 30}) {
        EXPECT_EQ(tokenizer.piece(none), "");
        EXPECT_EQ(tokenizer.bytes(none), "");
        EXPECT_FALSE(tokenizer.is_special(none));
        EXPECT_EQ(tokenizer.decode(std::vector<TokenId>{none}), "");
    }
    StreamDecoder outlives = golden_tokenizer("ko_new.json").stream();
    EXPECT_EQ(outlives.push(1), "<|im_start|>");
}

TEST(Tokenizer, TextThatIsNotUtf8IsNamed) {
    try {
        golden_tokenizer("ko_new.json").encode("가\xED\xA0\x80");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::format);
        EXPECT_NE(std::string(error.what()).find("byte 3"), std::string::npos) << error.what();
    }
}

/// Twice the text must not take much more than twice the time; the bound is loose because machines are busy.
TEST(Tokenizer, LongWordsTakeLinearTime) {
    const Tokenizer tokenizer = golden_tokenizer("ko_new.json");
    const auto seconds = [&](std::size_t n) {
        const std::string text(n, 'a');
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    seconds(1000);
    EXPECT_LT(seconds(1'000'000), 100 * seconds(62'500) + 0.5);  // quadratic: 256
}

#ifndef __EMSCRIPTEN__  // built there without threads
TEST(Tokenizer, ManyThreads) {
    const Tokenizer tokenizer = golden_tokenizer("var_qwen2.json");
    const std::string text = "가람 마을의 e\u0301 <|im_start|> 특산물 123";
    const auto expected = tokenizer.encode(text);
    std::vector<std::thread> threads;
    std::vector<int> good(4);
    for (std::size_t t = 0; t < good.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) good[t] += tokenizer.encode(text) == expected ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, std::vector<int>(4, 50));
}
#endif

struct Refusal {
    const char* name;
    std::function<void(Json&)> bend;
    ErrorKind kind;
    const char* field;
    const char* says;
};

TEST(Tokenizer, RefusedByFieldAndName) {
    const auto model = [](const char* key, Json value) { return [=](Json& d) { d["model"][key] = value; }; };
    const auto top = [](const char* key, Json value) { return [=](Json& d) { d[key] = value; }; };
    const auto type = [&](const char* key, const char* name) { return top(key, {{"type", name}}); };
    const auto added = [&](const char* key, Json value) {
        return [=](Json& d) {
            Json token = added_token("<x>");
            token[key] = value;
            d["added_tokens"].push_back(token);
        };
    };
    const auto split = [&](const char* pattern) {
        return top("pre_tokenizer", {{"type", "Split"},
                                     {"pattern", {{"Regex", pattern}}},
                                     {"behavior", "Isolated"},
                                     {"invert", false}});
    };
    using K = ErrorKind;
    const Refusal cases[] = {
        {"WordPiece", model("type", "WordPiece"), K::unsupported, "model.type", "WordPiece"},
        {"Unigram",
         [](Json& d) {
             d["model"] = {{"type", "Unigram"}, {"vocab", {{"a", 0}}}};
         },
         K::unsupported, "model.type", "Unigram"},
        {"no type, no merges",
         [](Json& d) {
             d["model"].erase("type");
             d["model"].erase("merges");
         },
         K::unsupported, "model", "merges"},
        {"no model", [](Json& d) { d.erase("model"); }, K::format, "model", "missing"},
        {"dropout", model("dropout", 0.1), K::unsupported, "model.dropout", "dropout"},
        {"vocab list", model("vocab", Json::array()), K::format, "model.vocab", "object"},
        {"id twice", [](Json& d) { d["model"]["vocab"]["xx"] = 7; }, K::tokenizer, "model.vocab", "id 7"},
        {"id too large", [](Json& d) { d["model"]["vocab"]["xx"] = 4294967295u; }, K::tokenizer,
         "model.vocab", "4294967295"},
        {"negative id", [](Json& d) { d["model"]["vocab"]["xx"] = -1; }, K::format, "model.vocab",
         "whole number"},
        {"text id", [](Json& d) { d["model"]["vocab"]["xx"] = "1"; }, K::format, "model.vocab",
         "whole number"},
        {"nested id", [](Json& d) { d["model"]["vocab"]["xx"] = Json::array(); }, K::format, "model.vocab",
         "whole number"},
        {"merge of nothing", model("merges", Json::array({Json::array({"a", "zz"})})), K::tokenizer,
         "model.merges", "merge 1"},
        {"merge to nothing", model("merges", {"a b"}), K::tokenizer, "model.merges", "merge 1"},
        {"merge of three", model("merges", {{"a", "b", "c"}}), K::format, "model.merges", "pair"},
        {"merge of one", model("merges", {"ab"}), K::format, "model.merges", "two parts"},
        {"mixed merges", model("merges", {"a b", {"a", "b"}}), K::format, "model.merges", "mixed"},
        {"merge number", model("merges", {1}), K::format, "model.merges", "string"},
        {"fuse_unk", model("fuse_unk", "yes"), K::format, "model.fuse_unk", "true or false"},
        {"normalizer", type("normalizer", "Precompiled"), K::unsupported, "normalizer", "Precompiled"},
        {"pre-tokenizer", type("pre_tokenizer", "Metaspace"), K::unsupported, "pre_tokenizer", "Metaspace"},
        {"lookbehind", split("(?<=a)b"), K::unsupported, "pre_tokenizer.pattern.Regex", "(?<="},
        {"broken pattern", split("(a"), K::format, "pre_tokenizer.pattern.Regex", "not closed"},
        {"post-processor", type("post_processor", "Other"), K::unsupported, "post_processor", "Other"},
        {"decoder", type("decoder", "WordPiece"), K::unsupported, "decoder", "WordPiece"},
        {"no decoder", top("decoder", nullptr), K::unsupported, "", "decoder"},
        {"added flag", added("lstrip", 1), K::format, "added_tokens[0].lstrip", "true or false"},
        {"added content", added("content", nullptr), K::format, "added_tokens[0].content", "string"},
        {"long added", added("content", std::string(5000, 'x')), K::tokenizer, "added_tokens[0].content",
         "longer"},
        {"version", top("version", "2.0"), K::unsupported, "version", "2.0"},
        {"truncation", top("truncation", {{"max_length", 4}, {"stride", 4}, {"strategy", "LongestFirst"}}),
         K::tokenizer, "truncation", "stride"},
        {"padding", top("padding", {{"strategy", {{"Fixed", 1e9}}}, {"direction", "Left"}, {"pad_id", 0}}),
         K::format, "padding.strategy.Fixed", "whole"},
    };
    for (const Refusal& refusal : cases) {
        SCOPED_TRACE(refusal.name);
        Json document = plain_document();
        refusal.bend(document);
        try {
            from(document);
            ADD_FAILURE() << "was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), refusal.kind) << error.what();
            EXPECT_EQ(error.context().file, "t.json");
            EXPECT_EQ(error.context().field, refusal.field) << error.what();
            EXPECT_NE(error.message().find(refusal.says), std::string::npos) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
}

TEST(Tokenizer, HostileFiles) {
    const std::string good = plain_document().dump();
    EXPECT_NO_THROW(Tokenizer::from_json(good, "t.json"));
    for (std::size_t cut = 0; cut < good.size(); cut += 37)
        EXPECT_THROW(Tokenizer::from_json(good.substr(0, cut), "t"), Error);
    std::mt19937 random(11);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
        std::string bent = good;
        for (auto n = 1 + random() % 4; n > 0; --n)
            bent[random() % bent.size()] = static_cast<char>(random() % 256);
        try {
            Tokenizer::from_json(bent, "t").encode("Hello 가");
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_THROW(Tokenizer::from_json(std::string(1'000'000, '['), "t"), Error);
    EXPECT_THROW(
        Tokenizer::from_json(
            R"({"model":{"type":"BPE","vocab":{"a":0,"a":1},"merges":[]},"decoder":{"type":"ByteLevel"}})",
            "t"),
        Error);
    std::string keys = "{";
    for (int i = 0; i < 20'000; ++i) keys += "\"k" + std::to_string(i) + "\":0,";
    EXPECT_THROW(Tokenizer::from_json(keys + "\"z\":0}", "t"), Error);
    Json grows = plain_document();
    grows["normalizer"] = {{"type", "Sequence"}, {"normalizers", Json::array()}};
    for (int i = 0; i < 40; ++i) {
        grows["normalizer"]["normalizers"].push_back(
            {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaaaaaa"}});
    }
    EXPECT_THROW(from(grows).encode("a"), Error);
}

// A short file and a short text that would be written out a thousandfold.
TEST(Tokenizer, GrowthHasALimit) {
    const std::string text(3000, 'a');
    Json grows = plain_document();
    const auto steps = [&](int count) {
        grows["normalizer"] = {{"type", "Sequence"}, {"normalizers", Json::array()}};
        for (int i = 0; i < count; ++i) {
            grows["normalizer"]["normalizers"].push_back(
                {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaa"}});
        }
        return from(grows);
    };
    EXPECT_EQ(steps(2).encode(text).size(), 16 * text.size());
    EXPECT_THROW(steps(6).encode(text), Error);
    Json repeats = plain_document();
    const auto pieces = [&](int count, int ids) {
        repeats["post_processor"] = {
            {"type", "TemplateProcessing"},
            {"single", Json::array({{{"SpecialToken", {{"id", "x"}, {"type_id", 0}}}}})},
            {"pair", Json::array()},
            {"special_tokens", {{"x", {{"id", "x"}, {"ids", std::vector<int>(ids, 5)}, {"tokens", {"x"}}}}}}};
        for (int i = 1; i < count; ++i) {
            repeats["post_processor"]["single"].push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
        }
        return from(repeats);
    };
    EXPECT_EQ(pieces(3, 4).encode(text).size(), 4 + 2 * text.size());
    EXPECT_THROW(pieces(1000, 1), Error);
    EXPECT_THROW(pieces(2, 100000), Error);
}

// Each stage may double the text, or look through it again and again.
TEST(Tokenizer, EveryStageHasALimit) {
    const Json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", false}};
    const auto sequence = [](const Json& step, int count) {
        return Json{{"type", "Sequence"}, {"pretokenizers", std::vector<Json>(count, step)}};
    };
    Json doubles = plain_document();
    doubles["pre_tokenizer"] = sequence(byte_level, 30);
    EXPECT_THROW(from(doubles).encode("가"), Error);
    doubles["pre_tokenizer"] = sequence(byte_level, 2);
    EXPECT_EQ(from(doubles).encode("가").size(), 1U + 2 + 6);

    // Sixty-four kilobytes for each of many segments.
    Json segments = plain_document();
    segments["added_tokens"].push_back(added_token("|"));
    segments["normalizer"] = {{"type", "Prepend"}, {"prepend", std::string(60'000, 'x')}};
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "a|";
    EXPECT_THROW(from(segments).encode(text), Error);
    EXPECT_EQ(from(segments).encode("a").size(), 60'001U);

    // Each piece alone takes few enough steps.
    Json searches = plain_document();
    const Json nested = {{"type", "Split"},
                         {"pattern", {{"Regex", "(?:a+a+)b"}}},
                         {"behavior", "Isolated"},
                         {"invert", false}};
    searches["pre_tokenizer"] = {{"type", "Sequence"},
                                 {"pretokenizers", {{{"type", "FixedLength"}, {"length", 200}}, nested}}};
    EXPECT_NO_THROW(from(searches).encode(std::string(200, 'a')));
    EXPECT_THROW(from(searches).encode(std::string(100'000, 'a')), Error);

    Json marks = plain_document();
    marks["model"]["continuing_subword_prefix"] = std::string(1000, '#');
    EXPECT_THROW(from(marks), Error);

    Json decodes = plain_document();
    decodes["model"]["vocab"][std::string(1'000'000, 'a')] = 256;
    EXPECT_THROW(from(decodes).decode(std::vector<TokenId>(1000, 256)), Error);
}

// White space that many tokens strip is walked once: 500,000 of them would take minutes.
TEST(Tokenizer, StrippingTokensTakeLinearTime) {
    for (const char* side : {"lstrip", "rstrip"}) {
        Json document = plain_document();
        for (const char* content : {" ", "|"}) {
            Json token = added_token(content);
            token[side] = true;
            document["added_tokens"].push_back(token);
        }
        EXPECT_FALSE(from(document).encode(std::string(500'000, ' ') + "a").empty());
        document["added_tokens"].erase(0);  // "|" alone
        const std::string text = side == std::string("lstrip") ? "a \t |\n |b" : "a|\n |\t  b";
        EXPECT_EQ(from(document).encode(text), (std::vector<TokenId>{'a', '|', '|', 'b'})) << side;
    }
}

TEST(Tokenizer, TruncationAndPaddingApply) {
    Json document = plain_document();
    document["truncation"] = {
        {"direction", "Left"}, {"max_length", 3}, {"strategy", "LongestFirst"}, {"stride", 0}};
    document["padding"] = {{"strategy", {{"Fixed", 5}}}, {"direction", "Right"},
                           {"pad_to_multiple_of", 4},    {"pad_id", 9},
                           {"pad_type_id", 0},           {"pad_token", "x"}};
    EXPECT_EQ(from(document).encode("abcdef"), (std::vector<TokenId>{'d', 'e', 'f', 9, 9, 9, 9, 9}));
}

TEST(Normalization, FormsOfUnicode9) {
    EXPECT_EQ(normalize("e\u0301", NormalForm::nfc), "é");
    EXPECT_EQ(normalize("é", NormalForm::nfd), "e\u0301");
    EXPECT_EQ(normalize("\u1112\u1161\u11ab", NormalForm::nfc), "한");
    EXPECT_EQ(normalize("각", NormalForm::nfd), "\u1100\u1161\u11a8");
    EXPECT_EQ(normalize("ﬁ①Ａ", NormalForm::nfkc), "fi1A");
    EXPECT_EQ(normalize("a\u0315\u0300\u05ae", NormalForm::nfc), "\u00e0\u05ae\u0315");
    EXPECT_EQ(normalize("\u0958", NormalForm::nfc), "\u0915\u093c");  // excluded from composition
    EXPECT_EQ(normalize("\u32ff", NormalForm::nfkc), "\u32ff");       // newer than the library's data
}

}  // namespace
}  // namespace mm
