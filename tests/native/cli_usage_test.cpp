// The program's manners: help, usage errors, exit statuses, streams.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

const std::vector<std::string> kCommands = {"lab",      "generate",   "logits", "topp",
                                            "tokenize", "detokenize", "rng",    "inspect",
                                            "why",      "attention",  "demo"};

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// One line that begins with the program's name, perhaps a hint, nothing on standard output.
void expect_error(const ProgramResult& result, int status, const std::string& part) {
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("mm-native: ")) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " is not in: " << result.err;
    EXPECT_GE(lines(result.err), 1U);
    EXPECT_LE(lines(result.err), 2U) << result.err;
}

TEST(Usage, HelpOfEveryCommand) {
    const ProgramResult top = run_program({"--help"});
    EXPECT_EQ(top.status, 0);
    for (const std::string& command : kCommands) {
        EXPECT_NE(top.out.find("\n  " + command), std::string::npos) << command;
        const ProgramResult help = run_program({command, "--help"});
        EXPECT_EQ(help.status, 0) << command;
        EXPECT_EQ(help.err, "");
        EXPECT_NE(help.out.find("Usage: mm-native " + command), std::string::npos) << help.out;
        EXPECT_NE(help.out.find("\nExample:\n  mm-native " + command), std::string::npos) << help.out;
        EXPECT_NE(help.out.find("--json"), std::string::npos) << help.out;
    }
    EXPECT_EQ(run_program({"-h"}).out, top.out);
}

TEST(Usage, HelpShowsDefaults) {
    const std::string help = run_program({"generate", "--help"}).out;
    for (const char* shown : {"(default: 8192)", "(default: 0.85)", "(default: 50)", "(default: 2)",
                              "else chatml)", "(default: torch)", "physical cores"}) {
        EXPECT_NE(help.find(shown), std::string::npos) << shown << "\n" << help;
    }
}

TEST(Usage, Version) {
    const ProgramResult result = run_program({"--version"});
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(result.out.starts_with("mm-native 1.0.0, commit ")) << result.out;
    EXPECT_NE(result.out.find(", kernels "), std::string::npos) << result.out;
    EXPECT_EQ(lines(result.out), 1U);
}

TEST(Usage, WrongArgumentsAreStatus2AndNameTheOption) {
    expect_error(run_program({}), 2, "no command given");
    expect_error(run_program({"frobnicate"}), 2, "frobnicate: no such command");
    expect_error(run_program({"rng", "--bogus"}), 2, "unexpected argument: --bogus");
    expect_error(run_program({"rng", "extra"}), 2, "unexpected argument: extra");
    expect_error(run_program({"rng", "lab"}), 2, "unexpected argument: lab");
    expect_error(run_program({"rng", "--n"}), 2, "--n: needs a value");
    expect_error(run_program({"rng", "--n", "1", "--n", "2"}), 2, "--n: is given twice");
    expect_error(run_program({"rng", "--n", "1e3"}), 2, "--n: '1e3' is not a whole number");
    expect_error(run_program({"rng", "--seed="}), 2, "--seed: '' is not a seed");
    expect_error(run_program({"inspect", "--model", ""}), 2, "--model: the name is empty");
    expect_error(run_program({"inspect", "--model", "demo:sft", "--config="}), 2,
                 "--config: the name is empty");
    expect_error(run_program({"tokenize", "--tokenizer", "", "x"}), 2, "--tokenizer: the name is empty");
    expect_error(run_program({"tokenize", "--file", ""}), 2, "--file: the name is empty");
    expect_error(run_program({"lab", "--out", ""}), 2, "--out: the name is empty");
    expect_error(run_program({"lab", "--ref", ""}), 2, "--ref: the name is empty");
    expect_error(run_program({"serve", "--dir", ""}), 2, "--dir: the name is empty");
    expect_error(run_program({"logits", "--ids", "1", "--out", ""}), 2, "--out: the name is empty");
    expect_error(run_program({"rng", "--op", "normal"}), 2, "--op: 'normal' is unknown");
    expect_error(run_program({"rng", "--op", "randint"}), 2, "--high");
    expect_error(run_program({"rng", "--op", "randint", "--low", "5", "--high", "5"}), 2, "--high");
    expect_error(run_program({"rng", "--low", "5"}), 2, "--low");
    expect_error(run_program({"rng", "--rng", "numpy"}), 2, "--rng");
    expect_error(run_program({"generate"}), 2, "--ids, --prompt and --chat");
    expect_error(run_program({"generate", "--ids", "1", "--prompt", "x"}), 2, "only one of");
    expect_error(run_program({"generate", "--ids", ""}), 2, "--ids");
    expect_error(run_program({"generate", "--ids", "1,x"}), 2, "--ids: 'x' is not a token id");
    expect_error(run_program({"generate", "--ids", "1", "--temperature", "-1"}), 2, "temperature");
    expect_error(run_program({"generate", "--ids", "1", "--temperature", "nan"}), 2, "--temperature");
    expect_error(run_program({"generate", "--ids", "1", "--top-p", "1.5"}), 2, "--top-p");
    expect_error(run_program({"generate", "--ids", "1", "--top-k", "1000000"}), 2, "--top-k");
    expect_error(run_program({"generate", "--ids", "1", "--eos", "two"}), 2, "--eos");
    expect_error(run_program({"generate", "--ids", "2000000000"}), 2, "2000000000");
    expect_error(run_program({"generate", "--ids", "1", "--threads", "0"}), 2, "--threads");
    expect_error(run_program({"generate", "--ids", "1", "--model", "demo:other"}), 2, "demo:other");
    expect_error(run_program({"generate", "--ids", "1", "--rope-scaling", "linear"}), 2, "--rope-scaling");
    expect_error(run_program({"generate", "--chat", "x", "--chat-format", "plain"}), 2, "--chat-format");
    expect_error(run_program({"logits", "--ids", "1"}), 2, "--out");
    expect_error(run_program({"topp", "--ids", "1", "--p", "0.5,,1"}), 2, "--p");
    expect_error(run_program({"topp", "--ids", "1", "--p", "0.5,0.5"}), 2, "--p: 0.5 is given twice");
    expect_error(run_program({"topp", "--ids", "1", "--p", "1.01"}), 2, "--p");
    expect_error(run_program({"topp", "--ids", "1", "--temperature", "0"}), 2, "--temperature");
    expect_error(run_program({"tokenize"}), 2, "TEXT, --file and --jsonl");
    expect_error(run_program({"tokenize", "a", "b"}), 2, "unexpected argument: b");
    expect_error(run_program({"detokenize"}), 2, "--ids and --jsonl");
    expect_error(run_program({"inspect", "--card-gb", "24"}), 2, "--context");
    expect_error(run_program({"lab", "--only", "same,nothing"}), 2, "no step is named 'nothing'");
    expect_error(run_program({"lab", "--only", ""}), 2, "--only");
}

TEST(Usage, ArgumentsAreUtf8) {
    expect_error(run_program({"tokenize", "\xFF\xFE"}), 2, "TEXT: is not UTF-8");
    expect_error(run_program({"tokenize", "\xED\xA0\x80"}), 2, "TEXT: is not UTF-8");
    expect_error(run_program({"generate", "--chat", "\xFF"}), 2, "--chat: is not UTF-8");
}

TEST(Usage, TheLocaleChangesNothing) {
    const std::vector<std::string> arguments{"topp",    "--ids",         "1,5", "--p",
                                             "0.5,0.9", "--temperature", "0.8", "--json"};
    const ProgramResult plain = run_program(arguments);
    const ProgramResult german =
        run_program(arguments, {.variables = {{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}}});
    EXPECT_EQ(plain.status, 0);
    EXPECT_EQ(german.status, 0);
    EXPECT_EQ(german.out, plain.out);
}

TEST(Streams, AFullDiskIsAnErrorOfTheOutput) {
    const ProgramResult result = run_program({"rng", "--n", "100000"}, {.stdout_file = "/dev/full"});
    expect_error(result, 3, "standard output: cannot be written: No space left on device");
    expect_error(run_program({"--help"}, {.stdout_file = "/dev/full"}), 3, "No space left on device");
}

TEST(Streams, AClosedOutputEndsQuietly) {
    RunningProgram program({"rng", "--n", "100000000"});
    EXPECT_FALSE(program.read_line().empty());
    program.close_output();
    const ProgramResult result = program.finish();
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
}

TEST(Streams, NothingForPeopleWhenNobodyIsThere) {
    const ProgramResult result = run_program({"lab", "--only", "same"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "") << "no progress, no colour";
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(Streams, SignalsEndWithTheirStatus) {
    for (const int number : {SIGINT, SIGTERM}) {
        RunningProgram program({"rng", "--n", "1000000000"});
        EXPECT_FALSE(program.read_line().empty());
        ::kill(program.pid(), number);
        const ProgramResult result = program.finish();
        EXPECT_EQ(result.status, 128 + number);
        EXPECT_EQ(lines(result.err), 1U) << result.err;
    }
    // While it waits for input.
    RunningProgram program({"tokenize", "--jsonl", "-"});
    program.send("\"a\"\n");
    EXPECT_FALSE(program.read_line().empty());
    ::kill(program.pid(), SIGINT);
    EXPECT_EQ(program.finish().status, 130);
}

}  // namespace
}  // namespace mm
