// Inputs and surroundings as they are in the wild: line ends, paths, locales, closed streams, little memory,
// a narrow terminal. Through the real program.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/base/json.hpp"
#include "native/terminal/text.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

const std::string& golden_lab() {
    static const std::string ref = source_file("tests/golden/lab");
    return ref;
}

// Steps 1 and 2 on the golden models with these documents.
ProgramResult same_with(const std::string& documents, const ProgramOptions& options = {}) {
    return run_program({"lab", "--ref", golden_lab(), "--val", documents, "--only", "same,count"}, options);
}

void expect_one_line(const ProgramResult& result, const std::string& named) {
    EXPECT_EQ(result.status, 3) << result.out << result.err;
    EXPECT_NE(result.err.find(named), std::string::npos) << result.err;
    const auto lines = std::count(result.err.begin(), result.err.end(), '\n');
    EXPECT_TRUE(lines == 1 || (lines == 2 && result.err.find("\nmm-native: hint: ") != std::string::npos))
        << result.err;
    EXPECT_EQ(result.out, "");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

TEST(Wild, LineEndsMarksAndBlankLinesChangeNothing) {
    const TemporaryFolder folder;
    const std::string plain = read_text(golden_lab() + "/data/pretrain_val.jsonl");
    const ProgramResult expected = same_with(golden_lab() + "/data/pretrain_val.jsonl");
    ASSERT_EQ(expected.status, 0) << expected.err;
    const std::string crlf = replaced(plain, "\n", "\r\n");
    for (const std::string& text :
         {crlf, "\xEF\xBB\xBF" + plain, "\n\n" + replaced(plain, "\n", "\n\n  \n"), "\xEF\xBB\xBF\r\n" + crlf,
          plain.substr(0, plain.size() - 1), plain + "{\"text\": \"cut"}) {
        write_text(folder / "val.jsonl", text);
        const ProgramResult result = same_with(folder / "val.jsonl");
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.out, expected.out);
    }
}

TEST(Wild, ADocumentThatIsNoneIsNamedByItsLine) {
    const TemporaryFolder folder;
    const std::string file = folder / "val.jsonl";
    for (const std::string& line :
         {std::string(R"({"text": "cut)"), std::string(R"({"txt": "a"})"), std::string(R"({"text": 5})"),
          std::string(R"({"text": null})"), std::string(R"(["text"])"), std::string(R"({"text": "\ud800"})"),
          std::string("{\"text\": \"\xED\xA0\x80\"}"), std::string("{\"text\": \"\xFF\"}"),
          std::string("{\"text\": \"a\0b\"}", 15), std::string(R"({"text": "a", "text": "b"})"),
          std::string("not json"), std::string(100000, '[')}) {
        write_text(file, "{\"text\": \"one\"}\n" + line + "\n");
        expect_one_line(same_with(file), file + ": line 2");
    }
    // NUL written the way JSON writes it is a character like any other.
    write_text(file, R"({"text": "a\u0000b"})"
                     "\n");
    EXPECT_EQ(same_with(file).status, 0);
}

TEST(Wild, PathsWithSpacesKoreanAndFourThousandCharacters) {
    const TemporaryFolder folder;
    const auto lab_into = [](const std::string& out) {
        return run_program({"lab", "--ref", golden_lab(), "--out", out});
    };
    for (const std::string& name :
         {std::string(" a b "), std::string("실습 🎯 결과"), std::string("-n'\"$\n")}) {
        const std::string out = folder / ("x/" + name);
        EXPECT_EQ(lab_into(out).status, 0) << name;
        EXPECT_TRUE(fs::is_regular_file(fs::path(out) / "report.md")) << name;
        EXPECT_EQ(run_program({"grade", "--ref", golden_lab(), out}).status, 0) << name;
    }
    std::string deep = folder.str();
    while (deep.size() + 201 < 4000) deep += "/" + std::string(200, 'd');
    deep += "/" + std::string(4000 - deep.size() - 1, 'e');
    ASSERT_EQ(deep.size(), 4000U);
    const ProgramResult result = lab_into(deep);
    EXPECT_EQ(result.status, 0) << result.err.substr(0, 300);
    const std::string too_long = deep + "/" + std::string(200, 'f');
    const ProgramResult refused = lab_into(too_long);
    EXPECT_EQ(refused.status, 3);
    EXPECT_NE(refused.err.find("File name too long"), std::string::npos) << refused.err.substr(4000);
}

// Locales that are really there, wherever Debian's package `locales` is to make them from: a decimal comma, a
// capital I that has no dot.
TEST(Wild, LocalesChangeNoNumber) {
    const ProgramResult plain = run_program({"lab", "--only", "temp,topp,kvbytes", "--json"});
    const TemporaryFolder made;
    for (const std::string locale : {"de_DE.UTF-8", "tr_TR.UTF-8", "nonsense"}) {
        const std::string name = locale.substr(0, locale.find('.'));
        if (fs::exists("/usr/share/i18n/locales/" + name)) {
            const std::string make =
                "localedef -i " + name + " -f UTF-8 '" + (made / locale) + "' 2>/dev/null";
            EXPECT_EQ(std::system(make.c_str()), 0) << make;
        }
        const ProgramResult result =
            run_program({"lab", "--only", "temp,topp,kvbytes", "--json"},
                        {.variables = {{"LC_ALL", locale}, {"LANG", locale}, {"LOCPATH", made.str()}}});
        EXPECT_EQ(parse_json(result.out, "out")["results"], parse_json(plain.out, "out")["results"]);
    }
}

TEST(Wild, FilesFollowTheUmask) {
    for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}, mode_t{0277}}) {
        const TemporaryFolder folder;
        const mode_t before = ::umask(mask);
        const ProgramResult result = run_program({"lab", "--ref", golden_lab(), "--out", folder.str()});
        ::umask(before);
        EXPECT_EQ(result.status, 0) << result.err;
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            const auto mode = static_cast<mode_t>(entry.status().permissions());
            EXPECT_EQ(mode, 0666U & ~mask) << entry.path();
        }
    }
}

TEST(Wild, NoHomeAndNoInput) {
    const ProgramOptions bare{.unset = {"HOME", "TERM", "LANG", "PATH"}, .close_input = true};
    EXPECT_EQ(run_program({"lab", "--only", "count"}, bare).status, 0);
    const ProgramResult result = run_program({"tokenize", "--jsonl", "-"}, bare);
    expect_one_line(result, "standard input");
}

TEST(Wild, AReaderThatLeavesEndsEveryCommandQuietly) {
    const TemporaryFolder folder;
    write_text(folder / "t.jsonl", "\"가\"\n\"나\"\n");
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"lab", "--ref", golden_lab(), "--only", "count", "--json"},
             {"lab", "--ref", golden_lab(), "--out", folder / "out"},
             {"generate", "--prompt", "가", "--max-new-tokens", "20"},
             {"generate", "--prompt", "가", "--max-new-tokens", "20", "--json"},
             {"logits", "--ids", "1,2", "--out", folder / "l.bin"},
             {"topp", "--ids", "1", "--p", "0.5"},
             {"tokenize", "--jsonl", folder / "t.jsonl"},
             {"detokenize", "--ids", "5,6"},
             {"rng", "--n", "100000", "--op", "rand"},
             {"inspect"},
             {"--help"},
             {"--version"}}) {
        RunningProgram program(arguments);
        program.close_output();
        const ProgramResult result = program.finish();
        EXPECT_EQ(result.status, 0) << arguments[0] << ": " << result.err;
    }
    EXPECT_TRUE(fs::is_regular_file(folder.path() / "out/report.md"))
        << "results do not depend on who listens";
    // A grade below full is a grade below full, heard or not.
    RunningProgram graded({"grade", "--ref", golden_lab(), folder / "nothing"});
    graded.close_output();
    EXPECT_LE(graded.finish().status, 1);
}

TEST(Wild, LittleMemoryIsSaid) {
    if (program_is_sanitized()) GTEST_SKIP() << "a sanitizer maps terabytes";
    const TemporaryFolder folder;
    int refused = 0;
    int done = 0;
    for (std::size_t kilobytes = 8 << 10; kilobytes <= 64 << 10 && done < 2; kilobytes += 256) {
        const ProgramResult result =
            run_program({"lab", "--ref", golden_lab(), "--threads", "1", "--only", "same"},
                        {.memory_limit = kilobytes << 10});
        // Too little to start any program (its libraries, the runtime's reserve for exceptions) is the
        // system's affair.
        if (result.status != 0 && run_program({"--version"}, {.memory_limit = kilobytes << 10}).status != 0) {
            continue;
        }
        done += result.status == 0;
        if (result.status == 0) continue;
        ++refused;
        EXPECT_EQ(result.status, 3) << kilobytes << " KB: " << result.err;
        EXPECT_NE(result.err.find("memory"), std::string::npos) << result.err;
        EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
    }
    EXPECT_EQ(done, 2);
    EXPECT_GT(refused, 0);
}

// Where memory runs out inside a destructor, or while an error is being told, a line is all that is left to
// say.
TEST(Wild, MemoryMayRunOutAnywhere) {
    if (program_is_sanitized()) GTEST_SKIP() << "a sanitizer maps terabytes";
    const TemporaryFolder folder;
    std::string nested, ids, text;
    for (int i = 0; i < 49000; ++i) nested += "[[]],";
    for (int i = 0; i < 300000; ++i) ids += "5,";
    for (int i = 0; i < 30000; ++i) text += "가나다 ";
    write_text(folder / "config.json", "{\"a\": [" + nested + "1]}");
    write_text(folder / "ids.jsonl", "[" + ids + "5]\n");
    write_text(folder / "texts.jsonl", "\"" + text + "\"\n");
    write_text(folder / "val.jsonl", "{\"text\": \"" + text + "\", \"x\": [" + nested + "1]}\n");
    int refused = 0;
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"topp", "--ids", "1", "--p", "0.5", "--config", folder / "config.json", "--threads", "1"},
             {"detokenize", "--jsonl", folder / "ids.jsonl"},
             {"tokenize", "--jsonl", folder / "texts.jsonl"},
             {"lab", "--only", "count", "--ref", golden_lab(), "--val", folder / "val.jsonl", "--threads",
              "1"},
             {"lab", "--only", "temp", "--ref", golden_lab(), "--threads", "2"},
             {"generate", "--prompt", "가", "--num-return-sequences", "30", "--max-new-tokens", "8"}}) {
        int done = 0;
        for (std::size_t megabytes = 12; megabytes <= 200 && done == 0; ++megabytes) {
            const ProgramOptions limit{.memory_limit = megabytes << 20};
            const ProgramResult result = run_program(arguments, limit);
            done += result.status == 0;
            if (result.status == 0 || run_program({"--version"}, limit).status != 0) continue;
            ++refused;
            EXPECT_EQ(result.status, 3) << arguments[0] << " " << megabytes << " MB: " << result.err;
            EXPECT_TRUE(result.err.starts_with("mm-native: ")) << result.err;
            EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
        }
        EXPECT_EQ(done, 1) << arguments[0];
    }
    EXPECT_GT(refused, 12);
}

TEST(Wild, AModelThatDoesNotFitIsRefusedWithBothSizes) {
    if (program_is_sanitized()) GTEST_SKIP() << "a sanitizer maps terabytes";
    // 512 MB of zeros that take no place on the disk: the file is there, the memory is not.
    const TemporaryFolder folder;
    const std::string file = folder / "large.safetensors";
    Json header;
    std::uint64_t end = 0;
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
        std::uint64_t bytes = 4;
        for (const std::int64_t size : shape) bytes *= static_cast<std::uint64_t>(size);
        header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {end, end + bytes}}};
        end += bytes;
    };
    add("model.embed_tokens.weight", {131072, 1024});
    add("model.norm.weight", {1024});
    const std::string layer = "model.layers.0.";
    for (const char* norm : {"input_layernorm.weight", "post_attention_layernorm.weight"})
        add(layer + norm, {1024});
    for (const char* rows : {"self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight",
                             "mlp.gate_proj.weight", "mlp.up_proj.weight"}) {
        add(layer + rows, {32, 1024});
    }
    for (const char* columns : {"self_attn.o_proj.weight", "mlp.down_proj.weight"})
        add(layer + columns, {1024, 32});
    for (const char* norm : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"}) add(layer + norm, {32});
    const std::string text = header.dump();
    std::string start(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) start[i] = static_cast<char>(text.size() >> (8 * i));
    write_text(file, start + text);
    fs::resize_file(file, start.size() + text.size() + end);
    const ProgramResult result =
        run_program({"logits", "--ids", "1", "--out", folder / "l.bin", "--model", file, "--threads", "1"},
                    {.memory_limit = std::size_t{800} << 20});
    expect_one_line(result, file + ": the model needs 538 MB of memory, ");
    EXPECT_NE(result.err.find(" MB are available"), std::string::npos) << result.err;
    // inspect shows what stands in the file all the same.
    const ProgramResult shown =
        run_program({"inspect", "--model", file, "--threads", "1"}, {.memory_limit = std::size_t{800} << 20});
    EXPECT_EQ(shown.status, 3);
    EXPECT_NE(shown.err.find(file + ": the model needs 538 MB of memory, "), std::string::npos) << shown.err;
    EXPECT_NE(shown.out.find("131072"), std::string::npos) << shown.out;
}

// On a terminal: progress lines must fit, or a line that wraps would scroll the screen away.
TEST(Wild, ATerminalTwentyColumnsWide) {
    winsize size{};
    size.ws_col = 20;
    size.ws_row = 10;
    int terminal = -1;
    const TemporaryFolder folder;
    const std::string out = folder / "out";
    const std::string program = mm_native_program();
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::unsetenv("COLUMNS");
        ::setenv("TERM", "xterm", 1);
        ::execl(program.c_str(), "mm-native", "lab", "--ref", golden_lab().c_str(), "--out", out.c_str(),
                static_cast<char*>(nullptr));
        _exit(127);
    }
    std::string shown;
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = ::read(terminal, block.data(), block.size())) > 0;) {
        shown.append(block.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    EXPECT_EQ(status, 0) << shown;
    const std::string progress = shown.substr(0, shown.find("MiniMind Lab"));
    EXPECT_NE(progress.find('%'), std::string::npos) << "progress is shown on a terminal";
    std::string line;
    for (std::size_t i = 0; i < progress.size(); ++i) {
        if (progress[i] == '\x1b') {
            while (i < progress.size() && std::isalpha(static_cast<unsigned char>(progress[i])) == 0) ++i;
        } else if (progress[i] == '\r' || progress[i] == '\n') {
            EXPECT_LT(display_width(line), 20U) << line;
            line.clear();
        } else {
            line += progress[i];
        }
    }
}

}  // namespace
}  // namespace mm
