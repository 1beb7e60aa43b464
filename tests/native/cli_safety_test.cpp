// What must not happen whatever a file, a name or a signal does: a terminal that obeys a file, an input
// written over, a run that cannot be stopped.
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "core/base/json.hpp"
#include "core/base/printable.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

const std::string kKim = "\xB1\xE8\xB9\xCE\xBC\xF6";  // 김민수 in CP949, as old zips have it
const std::string kKimShown = "\\xb1\\xe8\\xb9μ\\xf6";

std::string demo_file(const std::string& name) {
    return source_file("web/models/demo/" + name);
}

// A copy of the demo's pretrained checkpoint and tokenizer in `folder`.
std::string demo_copy(const fs::path& folder, const std::string& name = "m.pth") {
    fs::create_directories(folder);
    fs::copy_file(demo_file("pretrain.pth"), folder / name);
    fs::copy_file(demo_file("tokenizer.json"), folder / "tokenizer.json");
    return (folder / name).string();
}

// A safetensors file of one tensor that makes no model.
void write_one_tensor(const std::string& file, const std::string& name) {
    const Json header = {{name, {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}}}};
    const std::string text = header.dump();
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(text.size() >> 8 * i & 0xFF);
    write_text(file, bytes + text + std::string(4, '\0'));
}

// Everything a program shows on a terminal, both streams.
std::string on_a_terminal(const std::vector<std::string>& arguments) {
    int terminal = -1;
    const std::string program = mm_native_program();
    std::vector<const char*> argv{"mm-native"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        ::setenv("TERM", "xterm", 1);
        ::setenv("NO_COLOR", "1", 1);
        ::execv(program.c_str(), const_cast<char* const*>(argv.data()));
        _exit(127);
    }
    std::string shown;
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = ::read(terminal, block.data(), block.size())) > 0;) {
        shown.append(block.data(), static_cast<std::size_t>(got));
    }
    ::waitpid(child, nullptr, 0);
    ::close(terminal);
    return shown;
}

TEST(Terminal, ObeysNoName) {
    const TemporaryFolder folder;
    const std::string evil =
        "a\x1b]0;title\x07\x1b[2J\u009B"
        "31m\u202Eb\u2066\u2028";
    write_one_tensor(folder / "m.safetensors", evil);
    const std::string model = folder / "m.safetensors";
    const std::string student = folder / ("s" + evil);
    fs::create_directories(student);
    const std::vector<std::vector<std::string>> lines = {
        {"inspect", "--model", model},
        {"inspect", "--model", model, "--json"},
        {"topp", "--ids", "1", "--model", model},
        {"topp", "--ids", "1", "--model", folder / evil},
        {"topp", "--ids", "1", "--model", std::string(400, 'x') + evil},
        {"grade", student},
        {"grade", student, student},
        {"grade", "--format", "csv", student},
        {"grade", "--format", "junit", student},
        {"grade", "--json", student},
        {"tokenize", evil},
        {"detokenize", "--ids", "17,130,301"},
        {"lab", "--only", evil},
        {"lab", evil},
        {evil}};
    for (const auto& arguments : lines) {
        std::string shown = on_a_terminal(arguments);
        // Our own: what takes a progress line away.
        for (std::size_t at = 0; (at = shown.find("\r\x1b[K")) != shown.npos;) {
            shown.erase(at, std::min(shown.find_first_of("\r\n", at + 4), shown.size()) - at);
        }
        for (const char* obeyed : {"\x1b", "\x07", "\xC2\x9B", "\u202E", "\u2066", "\u2028"}) {
            EXPECT_EQ(shown.find(obeyed), shown.npos) << arguments[0] << ": " << printable(shown, 2000);
        }
    }
}

// Zips from Korean Windows hold names that are no UTF-8.
TEST(Names, OfFilesMayHoldAnyBytes) {
    const TemporaryFolder folder;
    const std::string model = demo_copy(folder.path() / kKim, kKim + ".pth");
    const std::string tokenizer = (fs::path(model).parent_path() / "tokenizer.json").string();
    write_text(folder / kKim + "/text", "민수는");
    write_text(folder / kKim + "/lines", "\"a\"\n");
    const std::vector<std::vector<std::string>> lines = {
        {"inspect", "--model", model, "--json"},
        {"topp", "--prompt", "@" + folder.str() + "/" + kKim + "/text", "--model", model, "--json"},
        {"generate", "--prompt", "민수는", "--max-new-tokens", "2", "--model", model, "--json"},
        {"logits", "--ids", "1", "--model", model, "--tokenizer", tokenizer, "--out", folder / kKim + "/l",
         "--json"},
        {"tokenize", "--file", folder / kKim + "/text", "--tokenizer", tokenizer, "--json"},
        {"tokenize", "--jsonl", folder / kKim + "/lines"},
        {"lab", "--only", "kvbytes", "--pretrain", model, "--json"},
        {"demo", folder / "d" + kKim, "--json"},
    };
    for (const auto& arguments : lines) {
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 0) << arguments[0] << ": " << result.err;
        EXPECT_NO_THROW(parse_json(result.out, "output")) << arguments[0] << ": " << result.out;
    }
    EXPECT_TRUE(fs::exists(folder / kKim + "/l"));
    const ProgramResult none = run_program({"inspect", "--model", folder / kKim + "/none"});
    EXPECT_EQ(none.status, 3);
    EXPECT_NE(none.err.find(kKimShown + "/none: cannot be opened"), std::string::npos) << none.err;
    // What is a text must be one.
    const ProgramResult text = run_program({"topp", "--prompt", kKim});
    EXPECT_EQ(text.status, 2);
    EXPECT_NE(text.err.find("--prompt: is not UTF-8"), std::string::npos) << text.err;
}

TEST(Names, AStudentsFolderIsGradedWhateverItIsCalled) {
    const TemporaryFolder folder;
    const std::string one = folder / kKim;
    const std::string two = folder / "other";
    fs::create_directories(one);
    fs::create_directories(two);
    const ProgramResult people = run_program({"grade", one, two});
    EXPECT_EQ(people.status, 1) << people.err;
    EXPECT_NE(people.out.find(kKimShown), std::string::npos) << people.out;
    const ProgramResult json = run_program({"grade", one, two, "--json"});
    EXPECT_EQ(json.status, 1) << json.err;
    EXPECT_EQ(parse_json(json.out, "output")["submissions"][0]["dir"], folder / kKimShown);
    for (const char* format : {"csv", "junit"}) {
        const ProgramResult table = run_program({"grade", one, two, "--format", format});
        EXPECT_EQ(table.status, 1) << table.err;
        EXPECT_NE(table.out.find(kKimShown), std::string::npos) << table.out;
    }
}

TEST(Outputs, NothingThatIsReadIsWrittenOver) {
    const TemporaryFolder folder;
    const std::string model = demo_copy(folder.path());
    write_text(folder / "config.json", "{}");
    write_text(folder / "ids", "1,2,3");
    fs::create_symlink(model, folder / "symbolic");
    fs::create_hard_link(model, folder / "hard");
    std::map<std::string, std::string> before;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        before[entry.path().filename().string()] = read_text(entry.path());
    }
    for (const char* name : {"m.pth", "symbolic", "hard", "tokenizer.json", "config.json", "ids", "./ids"}) {
        const ProgramResult result = run_program(
            {"logits", "--ids", "@" + (folder / "ids"), "--model", model, "--out", folder / name});
        EXPECT_EQ(result.status, 2) << name << ": " << result.err;
        EXPECT_NE(result.err.find("--out: "), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("which this command reads"), std::string::npos) << result.err;
    }
    // The lab's artifacts have fixed names; an input may have one of them.
    const std::string documents = folder / "time.json";
    fs::copy_file(demo_file("pretrain_val.jsonl"), documents);
    before["time.json"] = read_text(documents);
    const ProgramResult lab =
        run_program({"lab", "--pretrain", model, "--sft", model, "--val", documents, "--out", folder.str()});
    EXPECT_EQ(lab.status, 2) << lab.err;
    EXPECT_NE(lab.err.find("--out: "), std::string::npos) << lab.err;
    std::map<std::string, std::string> after;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        after[entry.path().filename().string()] = read_text(entry.path());
    }
    EXPECT_EQ(after, before);
    EXPECT_EQ(run_program({"logits", "--ids", "1", "--model", model, "--out", folder / "new"}).status, 0);
}

struct Long {
    std::vector<std::string> arguments;
    bool waits_for_output = false;
};

// Until the program would hear a signal.
void wait_for_handlers(pid_t pid) {
    for (int i = 0; i < 1000; ++i) {
        const std::string status = read_text("/proc/" + std::to_string(pid) + "/status");
        const std::size_t at = status.find("SigCgt:");
        if (at != status.npos && (std::stoull(status.substr(at + 7), nullptr, 16) >> (SIGTERM - 1) & 1) != 0)
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no handler of SIGTERM";
}

// All of these go on for many seconds, most without asking whether they should.
TEST(Signals, EndLongWorkAtOnce) {
    const TemporaryFolder folder;
    std::string ids;
    for (int i = 0; i < 32'768; ++i) ids += std::to_string(3 + i % 1000) + "\n";
    write_text(folder / "ids", ids);
    std::string text;
    while (text.size() < (std::size_t{40} << 20)) text += "가람 마을의 특산물은 곶감이에요. ";
    write_text(folder / "text", text);
    const std::string few = ids.substr(0, ids.size() - 100);
    write_text(folder / "few", few);
    const Long all[] = {
        {{"topp", "--ids", "@" + (folder / "ids")}},
        {{"logits", "--ids", "@" + (folder / "ids"), "--out", folder / "logits"}},
        {{"generate", "--ids", "@" + (folder / "few"), "--max-new-tokens", "4"}},
        {{"rng", "--n", "1000000000"}, true},
        {{"rng", "--n", "1000000000", "--op", "exponential", "--rng", "torch-mkl", "--json"}},
        {{"tokenize", "--file", folder / "text"}},
        {{"bench", "--sizes", "minimind-3"}},
        {{"lab", "--out", folder / "new/out"}},
    };
    int number = SIGINT;
    for (const Long& one : all) {
        RunningProgram program(one.arguments);
        if (one.waits_for_output) {
            EXPECT_FALSE(program.read_line().empty());
        } else {
            wait_for_handlers(program.pid());
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
        }
        const auto sent = std::chrono::steady_clock::now();
        ::kill(program.pid(), number);
        const ProgramResult result = program.finish();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - sent;
        EXPECT_EQ(result.status, 128 + number) << one.arguments[0] << ": " << result.err;
        // Half a second; the rest is for machines with much else to do.
        EXPECT_LT(took.count(), 3) << one.arguments[0];
        EXPECT_TRUE(result.err.starts_with("mm-native: ")) << result.err;
        number = number == SIGINT ? SIGTERM : SIGINT;
    }
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        left.push_back(entry.path().filename().string());
    std::sort(left.begin(), left.end());
    EXPECT_EQ(left, (std::vector<std::string>{"few", "ids", "text"})) << "what was begun is taken away";
}

TEST(Options, AreToldAsTheyWereTyped) {
    const std::pair<std::vector<std::string>, std::string> cases[] = {
        {{"inspect", "--rope-theta", "0"}, "--rope-theta: must be above 0"},
        {{"inspect", "--experts-per-token", "99", "--model",
          source_file("tests/golden/model/cases/moe_top1/model.pth")},
         "--experts-per-token: 99 is not in 1 … "},
        {{"inspect", "--rms-norm-eps", "2"}, "--rms-norm-eps: must be above 0 and below 1"},
        {{"inspect", "--heads", "3"}, "--heads: 3 contradicts the checkpoint's tensors"},
        {{"topp", "--ids", "1", "--max-positions", "9999999999"}, "--max-positions: "},
        {{"lab", "--rope-theta", "-1"}, "--rope-theta: must be above 0"},
        {{"topp", "--ids", "99999"}, "--ids: token id 99999 is not in 0 … 1799"},
        {{"topp", "--ids=1,2,3", "--max-positions", "2"}, "--max-positions: position 2 is past"},
        {{"grade", "--lang", "xx", "."}, "--lang: unknown language 'xx'"},
        {{"generate", "--ids", "1", "--top-p", "2", "--model", "none.pth"}, "--top-p: must be in [0, 1]"},
    };
    for (const auto& [arguments, line] : cases) {
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 2) << line << ": " << result.err;
        EXPECT_EQ(result.out, "") << line;
        EXPECT_NE(result.err.find(line), std::string::npos) << result.err;
    }
}

}  // namespace
}  // namespace mm
