// The grader: what scores full, what scores nothing, that the usual mistakes are MiniMind's own numbers, and
// that every hint is there in three languages. What single mistakes give is in the mutation tests.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/utf8.hpp"
#include "mutations.hpp"

namespace mm {
namespace {

using namespace test;

TEST(Grade, TheLabsOwnOutputScoresFull) {
    const Grade found = grading().judge(grading().own);
    EXPECT_EQ(failures(found), Findings{});
    EXPECT_EQ(notes(found), Findings{});
    EXPECT_EQ(found.score(), 100);
    EXPECT_EQ(found.max(), 100);
    EXPECT_TRUE(found.full());
}

TEST(Grade, MiniMindsOwnPyTorchResultsScoreFull) {
    // What MiniMind's code gave on PyTorch, for these checkpoints (expected.json).
    Submission submission = grading().own;
    for (const auto& [name, text] : grading().lab.expected.at("artifacts").items()) {
        text_of(submission, name) = text.get<std::string>();
    }
    EXPECT_EQ(failures(grading().judge(submission)), Findings{});
    EXPECT_EQ(notes(grading().judge(submission)), Findings{});
}

TEST(Grade, NothingAtAllScoresNothing) {
    Submission empty;
    empty.name = "empty";
    const Grade found = grading().judge(empty);
    EXPECT_EQ(found.score(), 0);
    EXPECT_EQ(found.max(), 100);
}

// What MiniMind's own code on PyTorch gives for each mistake (mistakes.json). Those that do not show in the
// numbers are none that numbers can tell.
template <typename Value>
void expect_mistakes(const Json& golden, const std::vector<Value>& right,
                     const std::vector<std::pair<Hint, Value>>& found) {
    for (const auto& [code, json] : golden.items()) {
        const Value expected = json.template get<Value>();
        const bool hidden = std::find(right.begin(), right.end(), expected) != right.end();
        const bool listed = std::any_of(found.begin(), found.end(), [&, name = code](const auto& mistake) {
            return mistake.first.code == name && mistake.second == expected;
        });
        EXPECT_NE(listed, hidden) << code;
    }
}

TEST(Reference, MistakesAreMiniMindsOwn) {
    const Json golden = Json::parse(test::read_text(test::kLabGolden / "mistakes.json"));
    const SameReference& same = same_reference();
    const TemperatureReference& temperature = temperature_reference();
    const TopPReference& top_p = top_p_reference();
    expect_mistakes<std::vector<TokenId>>(golden["ids"], {same.ids}, same.mistaken_ids);
    expect_mistakes<DistinctCounts>(golden["distinct"], temperature.distinct, temperature.mistaken_distinct);
    expect_mistakes<SurvivorCounts>(golden["survivors"], {top_p.survivors}, top_p.mistaken_survivors);
    EXPECT_EQ(temperature.distinct.size(), sampling_rng_streams().size());
    EXPECT_EQ(temperature.distinct.front(), (DistinctCounts{12, 30, 30}));
}

TEST(Hints, CompleteInThreeLanguages) {
    std::vector<std::string_view> codes;
    const auto placeholders = [](std::string_view text) {
        std::vector<std::string> names;
        for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
            names.emplace_back(text.substr(at, text.find('}', at) - at + 1));
        }
        std::sort(names.begin(), names.end());
        return names;
    };
    const auto holds = [](std::string_view text, char32_t first, char32_t last) {
        for (std::size_t at = 0; at < text.size();) {
            const char32_t c = next_code_point(text, at);
            if (c >= first && c <= last) return true;
        }
        return false;
    };
    for (const Hint& hint : all_hints()) {
        SCOPED_TRACE(hint.code);
        EXPECT_EQ(std::count(codes.begin(), codes.end(), hint.code), 0) << "codes are unique";
        codes.push_back(hint.code);
        const std::string_view ko = hint.sentence(Language::ko);
        const std::string_view zh = hint.sentence(Language::zh);
        const std::string_view en = hint.sentence(Language::en);
        EXPECT_TRUE(holds(ko, 0xAC00, 0xD7A3)) << ko;
        EXPECT_TRUE(holds(zh, 0x4E00, 0x9FFF)) << zh;
        EXPECT_TRUE(holds(en, 'a', 'z')) << en;
        EXPECT_EQ(placeholders(ko), placeholders(en));
        EXPECT_EQ(placeholders(zh), placeholders(en));
    }
    for (const CheckDefinition& check : check_list()) {
        EXPECT_TRUE(holds(check.title(Language::ko), 0xAC00, 0xD7A3) || check.id == "time.speedup");
        EXPECT_TRUE(holds(check.title(Language::zh), 0x4E00, 0x9FFF));
        EXPECT_TRUE(holds(check.title(Language::en), 'a', 'z'));
    }
}

}  // namespace
}  // namespace mm
