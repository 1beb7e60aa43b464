// `lab` as a program: which models it takes, what it writes, and what stays when it is stopped.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "core/base/json.hpp"
#include "core/lab/lab.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

const std::vector<std::string> kFiles = [] {
    const std::vector<std::string_view> names = artifact_names();
    return std::vector<std::string>(names.begin(), names.end());
}();

Json lab_json(std::vector<std::string> arguments, const ProgramOptions& options = {}) {
    arguments.insert(arguments.begin(), "lab");
    arguments.push_back("--json");
    const ProgramResult result = run_program(arguments, options);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out.empty() ? Json() : parse_json(result.out, "output");
}

std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files[entry.path().filename()] = entry.is_regular_file() ? read_text(entry.path()) : "(folder)";
    }
    return files;
}

// A folder with earlier results, which a lab that does not finish must leave alone.
void fill_with_earlier(const std::filesystem::path& folder) {
    for (const std::string& name : kFiles) write_text(folder / name, "earlier " + name);
    write_text(folder / "notes.txt", "mine");
}

TEST(Lab, TheFilesOfTheReference) {
    const TemporaryFolder folder;
    write_text(folder.path() / "notes.txt", "mine");
    const std::string ref = source_file("tests/golden/lab");
    const Json found = lab_json({"--ref", ref, "--out", folder.str()});
    EXPECT_EQ(found["out"], folder.str());
    EXPECT_EQ(found["source"], "ref");
    EXPECT_EQ(found["rng"], "torch");
    EXPECT_EQ(found["chat_format"], "chatml");
    EXPECT_EQ(found["files"], Json(kFiles));
    EXPECT_GT(found["seconds"], 0);
    EXPECT_EQ(found.size(), 6U);
    const auto files = contents(folder.path());
    EXPECT_EQ(files.size(), kFiles.size() + 1) << "and notes.txt";
    EXPECT_EQ(files.at("notes.txt"), "mine");
    // What MiniMind's own PyTorch code gives for these checkpoints.
    const Json expected = parse_json(read_text(ref + "/expected.json"), "expected.json");
    for (const auto& [name, text] : expected.at("artifacts").items()) EXPECT_EQ(files.at(name), text) << name;
}

TEST(Lab, TheDemoNeedsNothing) {
    const TemporaryFolder folder;
    const ProgramResult result =
        run_program({"lab", "--pretrain", "demo:pretrain", "--sft", "demo:sft"}, {.folder = folder.str()});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("demo"), std::string::npos) << "says which it used";
    EXPECT_NE(result.out.find(std::to_string(kFiles.size()) + " files in ./infer"), std::string::npos)
        << result.out;
    const auto files = contents(folder.path() / "infer");
    EXPECT_EQ(files.size(), kFiles.size());
    const Json count = parse_json(files.at("count.json"), "count.json");
    EXPECT_EQ(count["fed_with_cache"], 264);
    EXPECT_EQ(count["fed_without_cache"], 14880);
    EXPECT_EQ(parse_json(files.at("same.json"), "same.json")["same_ids"], true);
    if (!std::filesystem::exists("/opt/mm/ref")) {
        EXPECT_EQ(lab_json({}, {.folder = folder.str()})["source"], "demo") << "also the default";
    }
}

TEST(Lab, OnlyPrintsAndWritesNothing) {
    const TemporaryFolder folder;
    const ProgramResult one = run_program({"lab", "--only", "count"}, {.folder = folder.str()});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(parse_json(one.out, "count.json")["prompt_len"], 201);
    const Json found = lab_json({"--only", "kvbytes,count"}, {.folder = folder.str()});
    EXPECT_TRUE(found["out"].is_null());
    EXPECT_EQ(found["files"], Json::array());
    EXPECT_EQ(found["results"]["kvbytes.json"]["tokens"], 100);
    EXPECT_EQ(found["results"]["count.json"]["new_tokens"], 64);
    EXPECT_TRUE(contents(folder.path()).empty());
}

TEST(Lab, OnlyAsksForWhatItNeeds) {
    const TemporaryFolder folder;
    std::filesystem::copy(source_file("web/models/demo/pretrain.pth"), folder.path() / "own.pth");
    EXPECT_EQ(run_program({"lab", "--only", "kvbytes", "--pretrain", folder / "own.pth"}).status, 0)
        << "no tokenizer, no SFT model, no documents";
}

TEST(Lab, DemoAndOwnAreNeverMixed) {
    const TemporaryFolder folder;
    const std::string ref = source_file("tests/golden/lab/ref/");
    const std::vector<std::vector<std::string>> mixed = {
        {"--pretrain", ref + "pretrain.pth"},
        {"--sft", ref + "sft.pth"},
        {"--pretrain", ref + "pretrain.pth", "--sft", "demo:sft"},
        {"--pretrain", ref + "pretrain.pth", "--sft", ref + "sft.pth"}};
    for (std::vector<std::string> arguments : mixed) {
        arguments.insert(arguments.begin(), {"lab", "--out", folder / "out"});
        const ProgramResult result = run_program(arguments);
        if (std::filesystem::exists("/opt/mm/ref/sft.pth")) continue;  // REF fills the gaps there
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
    }
    const Json own =
        lab_json({"--pretrain", ref + "pretrain.pth", "--sft", ref + "sft.pth", "--val",
                  source_file("tests/golden/lab/data/pretrain_val.jsonl"), "--out", folder / "out"});
    EXPECT_EQ(own["source"], "ref");
}

TEST(Lab, WhatCannotBeReadOrWrittenIsNamed) {
    const TemporaryFolder folder;
    ProgramResult result = run_program({"lab", "--ref", folder / "none", "--out", folder / "out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find(folder / "none/ref/pretrain.pth"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
    write_text(folder.path() / "file", "x");
    result = run_program({"lab", "--out", folder / "file"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find(folder / "file" + ": is not a folder"), std::string::npos) << result.err;
    result = run_program({"lab", "--out", "/proc/mm-lab/out"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("/proc/mm-lab"), std::string::npos) << result.err;
    result = run_program({"lab", "--val", folder / "file"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find(folder / "file" + ": line 1"), std::string::npos) << result.err;
}

TEST(Lab, ASecondRunAtOnceIsRefused) {
    const TemporaryFolder folder;
    const int fd = ::open(folder.str().c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(fd, LOCK_EX), 0);
    const ProgramResult result = run_program({"lab", "--out", folder.str()});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("another run is writing into this folder"), std::string::npos) << result.err;
    EXPECT_TRUE(contents(folder.path()).empty());
    ::close(fd);
}

// result_folder_test has a disk that is full for whoever may not mount one; this is a real one, full at every
// file in turn.
TEST(Lab, AFullDiskLeavesTheEarlierResults) {
    const TemporaryFolder folder;
    if (::mount("tmpfs", folder.str().c_str(), "tmpfs", 0, "size=128k") != 0) {
        GTEST_SKIP() << "mounting a small disk needs root: " << std::strerror(errno);
    }
    const std::string out = folder / "out";
    const std::vector<std::string> lab{"lab", "--ref", source_file("tests/golden/lab"), "--out", out};
    EXPECT_EQ(run_program(lab).status, 0);
    const auto before = contents(out);
    std::set<std::string> full_at;
    for (int free = 0; free <= 48; free += 4) {
        write_text(folder / "fill", "");
        std::ofstream fill(folder / "fill", std::ios::binary);
        while (fill << std::string(1024, 'x') << std::flush) continue;
        const auto size = std::filesystem::file_size(folder / "fill");
        std::filesystem::resize_file(folder / "fill", size - std::min<std::uintmax_t>(size, free * 1024U));
        const ProgramResult result = run_program(lab);
        EXPECT_EQ(result.status, 3) << free;
        EXPECT_NE(result.err.find("No space left on device"), std::string::npos) << result.err;
        EXPECT_EQ(contents(out), before) << "earlier results, and no stage";
        full_at.insert(result.err);
    }
    EXPECT_GE(full_at.size(), 4U) << "full at different files";
    EXPECT_EQ(::umount(folder.str().c_str()), 0);
}

TEST(Lab, TwoRunsAtOnceLeaveTheWholeSetOfOne) {
    const std::string ref = source_file("tests/golden/lab");
    for (int trial = 0; trial < 5; ++trial) {
        const TemporaryFolder folder;
        std::vector<ProgramResult> results;
        {
            RunningProgram one({"lab", "--ref", ref, "--out", folder.str()});
            RunningProgram other({"lab", "--ref", ref, "--out", folder.str()});
            results.push_back(one.finish());
            results.push_back(other.finish());
        }
        int done = 0;
        for (const ProgramResult& result : results) {
            done += result.status == 0;
            if (result.status == 0) continue;
            EXPECT_EQ(result.status, 3);
            EXPECT_NE(result.err.find("another run is writing"), std::string::npos) << result.err;
        }
        EXPECT_GE(done, 1);
        EXPECT_EQ(contents(folder.path()).size(), kFiles.size());
        EXPECT_EQ(run_program({"grade", "--ref", ref, folder.str()}).status, 0) << "files of one run";
    }
}

TEST(Lab, AnOutThatIsNoFolderIsNamed) {
    const TemporaryFolder folder;
    write_text(folder / "file", "mine");
    std::filesystem::create_symlink(folder / "nowhere/at all", folder / "dangling");
    for (const std::string& out : {folder / "file", folder / "file/below", folder / "dangling"}) {
        const ProgramResult result = run_program({"lab", "--out", out});
        EXPECT_EQ(result.status, 3) << out;
        EXPECT_NE(result.err.find(out), std::string::npos) << result.err;
    }
    EXPECT_EQ(read_text(folder / "file"), "mine");
}

TEST(Lab, AFolderThatVanishesMeanwhileIsAnError) {
    const TemporaryFolder folder;
    const std::filesystem::path out = folder.path() / "out";
    std::filesystem::create_directory(out);
    RunningProgram program({"lab", "--out", out.string()});
    while (!std::filesystem::exists(out / ".mm-lab")) std::this_thread::yield();
    std::filesystem::remove_all(out);
    const ProgramResult result = program.finish();
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find(out.string()), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(out)) << "it is not made again for half a set";
}

TEST(Lab, ASignalLeavesTheEarlierResults) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const TemporaryFolder folder;
        fill_with_earlier(folder.path());
        const auto before = contents(folder.path());
        RunningProgram program({"lab", "--out", folder.str()});
        // The stage appears when the work begins.
        while (!std::filesystem::exists(folder.path() / ".mm-lab")) std::this_thread::yield();
        ::kill(program.pid(), number);
        const ProgramResult result = program.finish();
        EXPECT_EQ(result.status, 128 + number) << result.err;
        EXPECT_EQ(contents(folder.path()), before) << "no stage is left either";
    }
}

TEST(Lab, KilledAtAnyMomentLeavesOneWholeSet) {
    const TemporaryFolder folder;
    const std::string ref = source_file("tests/golden/lab");  // small models: more moments in the same time
    std::mt19937 random(20240229);
    int whole_new = 0;
    const double run_seconds = run_program({"lab", "--ref", ref, "--out", folder / "timing"}).seconds;
    // More moments: MM_KILL_TRIALS=200.
    const char* const wanted = std::getenv("MM_KILL_TRIALS");
    const int trials = wanted != nullptr ? std::atoi(wanted) : 15;
    constexpr std::array<int, 3> kSignals{SIGKILL, SIGINT, SIGTERM};
    for (int trial = 0; trial < trials; ++trial) {
        const std::filesystem::path out = folder.path() / std::to_string(trial);
        std::filesystem::create_directory(out);
        fill_with_earlier(out);
        const auto before = contents(out);
        {
            RunningProgram program({"lab", "--ref", ref, "--out", out.string()});
            const double share = std::uniform_real_distribution<>(0.3, 1.1)(random);
            std::this_thread::sleep_for(std::chrono::duration<double>(run_seconds * share));
            ::kill(program.pid(), kSignals[static_cast<std::size_t>(trial) % kSignals.size()]);
            program.finish();
        }
        auto after = contents(out);
        const bool journaled = std::filesystem::exists(out / ".mm-lab" / "journal");
        after.erase(".mm-lab");
        const bool old_set = after == before;
        // Either nothing happened, or a journal can finish it, or all are new.
        std::size_t changed = 0;
        for (const std::string& name : kFiles) changed += after[name] != before.at(name) ? 1 : 0;
        EXPECT_TRUE(old_set || journaled || changed == kFiles.size())
            << "trial " << trial << ": " << changed << " changed";
        whole_new += changed == kFiles.size() ? 1 : 0;
        EXPECT_EQ(run_program({"lab", "--ref", ref, "--out", out.string()}).status, 0)
            << "the next run works";
        EXPECT_EQ(contents(out).size(), kFiles.size() + 1);
    }
    RecordProperty("finished before the kill", whole_new);
}

TEST(Lab, AnInterruptedCommitIsCompleted) {
    const TemporaryFolder folder;
    fill_with_earlier(folder.path());
    const std::filesystem::path stage = folder.path() / ".mm-lab";
    std::filesystem::create_directory(stage);
    write_text(stage / "journal", R"({"version": 1, "files": ["same.json", "count.json"]})");
    write_text(stage / "count.json", "completed count");  // same.json was renamed before the end
    // Even when the new run goes no further: the first thing it does is to complete the earlier one.
    const ProgramResult result = run_program({"lab", "--out", folder.str()});
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.err.find("completed the results of an earlier run"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(stage));
}

TEST(Lab, ALostOutputDoesNotLoseTheResults) {
    const TemporaryFolder folder;
    const ProgramResult result = run_program({"lab", "--out", folder.str()}, {.stdout_file = "/dev/full"});
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(contents(folder.path()).size(), kFiles.size());
    RunningProgram program({"lab", "--out", folder.str()});
    program.close_output();
    EXPECT_EQ(program.finish().status, 0);
}

}  // namespace
}  // namespace mm
