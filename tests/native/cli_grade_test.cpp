// `grade` as a program: statuses, formats, hostile folders, a whole class.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/base/json.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

const std::vector<std::string> kDemo = {"--pretrain", "demo:pretrain", "--sft", "demo:sft"};

ProgramResult grade(std::vector<std::string> arguments, const ProgramOptions& options = {}) {
    arguments.insert(arguments.begin(), "grade");
    arguments.insert(arguments.end(), kDemo.begin(), kDemo.end());
    return run_program(arguments, options);
}

// The demo lab's own results, made once.
const TemporaryFolder& lab_folder() {
    static const TemporaryFolder folder;
    static const bool made = [] {
        std::vector<std::string> arguments = {"lab", "--out", folder / "own"};
        arguments.insert(arguments.end(), kDemo.begin(), kDemo.end());
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return result.status == 0;
    }();
    EXPECT_TRUE(made);
    return folder;
}

void copy_own(const std::filesystem::path& to) {
    std::filesystem::copy(lab_folder().path() / "own", to);
}

TEST(GradeCommand, TheLabsOutputScoresFull) {
    const ProgramResult result = grade({lab_folder() / "own", "--json"});
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "");
    const Json json = parse_json(result.out, "output");
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["ref"], "demo");
    EXPECT_EQ(json["rng"], "torch");
    EXPECT_EQ(json["submissions"][0]["score"], 100);
    EXPECT_EQ(json["submissions"][0]["max"], 100);
    for (const Json& check : json["submissions"][0]["checks"]) EXPECT_TRUE(check["hint"].is_null()) << check;
}

TEST(GradeCommand, AnyReferenceAndEveryStreamScoreFull) {
    const TemporaryFolder folder;
    const std::string ref = source_file("tests/golden/lab");
    for (const std::string rng : {"torch", "torch-mkl", "torch-2.7"}) {
        const std::string out = folder / rng;
        const ProgramResult made = run_program({"lab", "--ref", ref, "--out", out, "--rng", rng});
        ASSERT_EQ(made.status, 0) << made.err;
        const ProgramResult result = run_program({"grade", "--ref", ref, out, "--json"});
        EXPECT_EQ(result.status, 0) << rng << result.out;
        EXPECT_EQ(parse_json(result.out, "output")["ref"], ref);
    }
}

TEST(GradeCommand, AMissingFileOrFolderIsNeverAPass) {
    const TemporaryFolder folder;
    copy_own(folder / "half");
    std::filesystem::remove(folder / "half/topp.json");
    EXPECT_EQ(grade({folder / "half"}).status, 1);
    const ProgramResult nowhere = grade({folder / "nowhere", "--json"});
    EXPECT_EQ(nowhere.status, 1);
    EXPECT_EQ(parse_json(nowhere.out, "output")["submissions"][0]["score"], 0);
}

TEST(GradeCommand, OneBadFolderNeverStopsTheClass) {
    const TemporaryFolder folder;
    copy_own(folder / "a good one");
    std::filesystem::create_directory(folder / "empty");
    std::filesystem::create_directory(folder / "hostile");
    ASSERT_EQ(::mkfifo((folder / "hostile/same.json").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", folder / "hostile/count.json");
    write_text(folder / "hostile/time.json", std::string(900000, '['));
    write_text(folder / "hostile/report.md", std::string(3000000, 'x'));
    write_text(folder / "a file", "");
    const std::vector<std::string> folders = {folder / "empty", folder / "hostile", folder / "a file",
                                              folder / "nowhere", folder / "a good one"};
    std::vector<std::string> arguments = folders;
    arguments.push_back("--json");
    const ProgramResult result = grade(arguments);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.err, "");
    const Json json = parse_json(result.out, "output");
    ASSERT_EQ(json["submissions"].size(), folders.size());
    for (std::size_t i = 0; i < folders.size(); ++i) {
        EXPECT_EQ(json["submissions"][i]["dir"], folders[i]) << "in the order given";
        EXPECT_EQ(json["submissions"][i]["score"], i + 1 == folders.size() ? 100 : 0);
    }
    EXPECT_EQ(grade(arguments).out, result.out) << "deterministic";
}

TEST(GradeCommand, FormatsLanguagesAndFeedback) {
    const TemporaryFolder folder;
    copy_own(folder / "s");
    write_text(folder / "s/count.json",
               R"({"prompt_len": 201, "new_tokens": 64, "fed_with_cache": 264, "fed_without_cache": 14879})");
    const auto out = [&](std::vector<std::string> more) {
        more.insert(more.begin(), folder / "s");
        const ProgramResult result = grade(std::move(more));
        EXPECT_EQ(result.status, 1) << result.err;
        return result.out;
    };
    EXPECT_NE(out({}).find("식으로 계산한 값과 다릅니다."), std::string::npos)
        << "Korean unless told otherwise";
    EXPECT_NE(out({"--lang", "zh"}).find("与公式计算的值不同。"), std::string::npos);
    const std::string english = out({"--lang", "en"});
    EXPECT_NE(english.find("This differs from what the formula gives."), std::string::npos) << english;
    EXPECT_EQ(english.find("14880"), std::string::npos) << "the answer is withheld";
    EXPECT_NE(out({"--lang", "en", "--feedback", "full"}).find("(expected 14880, found 14879)"),
              std::string::npos);
    EXPECT_EQ(out({"--lang", "en", "--feedback", "none"}).find("differs"), std::string::npos);
    EXPECT_TRUE(
        out({"--format", "junit"}).starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
    const Json gradescope = parse_json(out({"--format", "gradescope"}), "results.json");
    double lost = 0;
    double count = 0;
    for (const Json& test : gradescope["tests"]) {
        const double worth = test["max_score"].get<double>();
        lost += test["status"] == "failed" ? worth : 0;
        count += test["tags"][0] == "count" ? worth : 0;
    }
    EXPECT_GT(lost, 0);
    EXPECT_NEAR(gradescope["score"].get<double>(), 100 - lost, 1e-6);
    EXPECT_TRUE(out({"--format", "csv"}).starts_with("dir,score,max,folder,"));
    write_text(folder / "weights.json", R"({"count": 0})");
    const Json weighted = parse_json(out({"--json", "--weights", folder / "weights.json"}), "out");
    EXPECT_NEAR(weighted["submissions"][0]["max"].get<double>(), 100 - count, 1e-6);
}

TEST(GradeCommand, UsageAndInputErrors) {
    const TemporaryFolder folder;
    const std::string own = lab_folder() / "own";
    EXPECT_EQ(grade({}).status, 2);
    EXPECT_EQ(grade({own, "--format", "html"}).status, 2);
    EXPECT_EQ(grade({own, "--lang", "fr"}).status, 2);
    EXPECT_EQ(grade({own, "--feedback", "some"}).status, 2);
    EXPECT_EQ(grade({own, own, "--format", "gradescope"}).status, 2);
    EXPECT_EQ(grade({own, "--json", "--format", "csv"}).status, 2);
    write_text(folder / "w.json", R"({"same.idz": 1})");
    const ProgramResult weights = grade({own, "--weights", folder / "w.json"});
    EXPECT_EQ(weights.status, 3);
    EXPECT_NE(weights.err.find("w.json: same.idz:"), std::string::npos) << weights.err;
    EXPECT_EQ(run_program({"grade", own, "--ref", folder / "nowhere"}).status, 3) << "no reference";
}

TEST(GradeCommand, AThousandFolders) {
    const TemporaryFolder folder;
    std::vector<std::string> arguments = {"--format", "csv"};
    for (int i = 0; i < 1000; ++i) {
        const std::string path = folder / ("s" + std::to_string(i));
        std::filesystem::create_directory(path);
        for (const auto& entry : std::filesystem::directory_iterator(lab_folder().path() / "own")) {
            std::filesystem::create_hard_link(entry.path(),
                                              std::filesystem::path(path) / entry.path().filename());
        }
        arguments.push_back(path);
    }
    const ProgramResult result = grade(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1001);
}

}  // namespace
}  // namespace mm
