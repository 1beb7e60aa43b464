// Grading on the shipped demo model: a submission made with PyTorch scores full, and what MiniMind's own code
// gives for the usual mistakes (tests/golden/demo/mistakes.json) is told apart by its numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "mutations.hpp"

namespace mm {
namespace {

using namespace test;

const std::filesystem::path kDemo = std::filesystem::path(MM_SOURCE_DIR) / "web" / "models" / "demo";
const std::filesystem::path kGolden = std::filesystem::path(MM_SOURCE_DIR) / "tests" / "golden" / "demo";

GradeReference demo_reference() {
    const Model pretrain = load_model(kDemo / "pretrain.pth", 1);
    const Model sft = load_model(kDemo / "sft.pth", 1);
    const Tokenizer tokenizer = Tokenizer::from_json(read_text(kDemo / "tokenizer.json"), "tokenizer.json");
    LabContext context;
    context.pretrain = &pretrain;
    context.sft = &sft;
    context.tokenizer = context.sft_tokenizer = &tokenizer;
    context.documents =
        read_documents(read_text(kDemo / "pretrain_val.jsonl"), "pretrain_val.jsonl", kLabDocuments);
    return compute_reference(context);
}

Submission pytorch_submission() {
    Submission submission;
    submission.name = "pytorch";
    for (const std::string_view name : artifact_names()) {
        const bool script = name == "cache.py";
        const std::filesystem::path folder = std::filesystem::path(MM_SOURCE_DIR) / "core" / "lab";
        const std::string text = read_text((script ? folder : kGolden / "pytorch") / std::string(name));
        submission.files[std::string(name)] = {FileState::present, text};
    }
    return submission;
}

struct GradeDemo : testing::Test {
    static const GradeReference& demo() {
        static const GradeReference reference = demo_reference();
        return reference;
    }
    static Grade judge(const Submission& submission) { return grade(submission, demo(), default_points()); }
};

TEST_F(GradeDemo, APyTorchSubmissionScoresFullItsTimesIncluded) {
    const Grade found = judge(pytorch_submission());
    EXPECT_EQ(failures(found), Findings{});
    EXPECT_EQ(notes(found), Findings{});
    EXPECT_EQ(found.score(), found.max());
}

TEST_F(GradeDemo, TopK50AndNotReseedingAreToldApart) {
    const Json golden = Json::parse(read_text(kGolden / "mistakes.json"));
    const auto& distinct = demo().get<TemperatureReference>().distinct;
    for (const std::string code :
         {"temp.top_k", "temp.not_reseeded", "temp.top_p", "temp.defaults", "temp.pretrain_model"}) {
        const DistinctCounts counts = golden["distinct"][code].get<DistinctCounts>();
        Submission submission = pytorch_submission();
        Findings expected;
        std::size_t i = 0;
        edit(submission, "temp.json", [&](Json& json) {
            for (auto& [temperature, row] : json.items()) {
                row["distinct"] = counts[i];
                const bool changed =
                    std::none_of(distinct.begin(), distinct.end(),
                                 [&](const DistinctCounts& right) { return right[i] == counts[i]; });
                if (changed) expected["temp.distinct_" + temperature] = {code};
                ++i;
            }
        });
        EXPECT_FALSE(expected.empty()) << code;
        EXPECT_EQ(failures(judge(submission)), expected) << code;
    }
}

TEST_F(GradeDemo, SurvivorsOfMistakes) {
    const Json golden = Json::parse(read_text(kGolden / "mistakes.json"));
    for (const auto& [code, json] : golden["survivors"].items()) {
        Submission submission = pytorch_submission();
        std::size_t i = 0;
        const SurvivorCounts counts = json.get<SurvivorCounts>();
        edit(submission, "topp.json", [&](Json& survivors) {
            for (auto& [p, count] : survivors.items()) count = counts[i++];
        });
        bool told = false;
        for (const auto& [id, hints] : failures(judge(submission))) {
            EXPECT_EQ(id.substr(0, 5), "topp.") << code;
            for (const std::string& hint : hints) told = told || hint == code;
        }
        EXPECT_TRUE(told) << code;
    }
}

}  // namespace
}  // namespace mm
