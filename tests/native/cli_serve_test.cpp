// `mm-native serve` as a whole program: its options, its errors, what it measures, its end.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "http_client.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

class CliServe : public testing::Test {
  protected:
    CliServe() { write_text(site_ / "index.html", "<!doctype html>page"); }

    TemporaryFolder site_;
};

// The port that the program chose, from the address it prints.
int port_of(const std::string& line) {
    EXPECT_TRUE(line.starts_with("http://127.0.0.1:") && line.ends_with("/")) << line;
    return std::stoi(line.substr(17));
}

TEST_F(CliServe, HelpAndWrongOptions) {
    const ProgramResult help = run_program({"serve", "--help"});
    EXPECT_EQ(help.status, 0);
    for (const char* shown :
         {"--port N", "8765)", "--dir DIR", "build/web/site", "--open", "\nExample:\n  mm-native serve"}) {
        EXPECT_NE(help.out.find(shown), std::string::npos) << shown << "\n" << help.out;
    }
    for (const char* port : {"65536", "-1", "x", ""}) {
        const ProgramResult result = run_program({"serve", "--port", port});
        EXPECT_EQ(result.status, 2) << port;
        EXPECT_NE(result.err.find("--port"), std::string::npos) << result.err;
    }
}

TEST_F(CliServe, NothingToServe) {
    const ProgramResult missing = run_program({"serve", "--port", "0", "--dir", site_ / "nothing"});
    EXPECT_EQ(missing.status, 3);
    EXPECT_NE(missing.err.find("nothing: cannot be opened"), std::string::npos) << missing.err;
    std::filesystem::remove(site_.path() / "index.html");
    const ProgramResult empty = run_program({"serve", "--port", "0", "--dir", site_.str()});
    EXPECT_EQ(empty.status, 3);
    EXPECT_NE(empty.err.find("index.html"), std::string::npos) << empty.err;
}

// A copy of the program alone: no page lies where it looks for one, then one does.
TEST_F(CliServe, NoPageBuiltNamesTheCommandThatBuildsIt) {
    const TemporaryFolder away;
    std::filesystem::create_directory(away.path() / "bin");
    const std::string program = away / "bin/mm-native";
    std::filesystem::copy_file(mm_native_program(), program);
    const ProgramResult result = run_program({"serve"}, {.program = program});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("the page is not built"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("hint: cmake --workflow --preset web"), std::string::npos) << result.err;

    for (const char* folder : {"bin/site", "share/minimind-lab/site", "web/site"}) {
        std::filesystem::create_directories(away.path() / folder);
        write_text(away.path() / folder / "index.html", folder);
        RunningProgram running({"serve", "--port", "0"}, {.program = program});
        const int port = port_of(running.read_line());
        const Client client(static_cast<std::uint16_t>(port));
        client.send("GET / HTTP/1.1\r\nHost: localhost:" + std::to_string(port) + "\r\n\r\n");
        EXPECT_EQ(body_of(client.read()), folder);
        ::kill(running.pid(), SIGTERM);
        EXPECT_EQ(running.finish().status, 143);
        std::filesystem::remove_all(away.path() / folder);
    }
}

// The answer to a request without a body. Measuring takes a while.
std::string ask(int port, const std::string& line, const std::string& headers = "") {
    const Client client(static_cast<std::uint16_t>(port));
    client.send(line + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + headers + "\r\n");
    return client.read(120000);
}

TEST_F(CliServe, ServesMeasuresAndEndsOnASignal) {
    for (const int number : {SIGINT, SIGTERM}) {
        RunningProgram program({"serve", "--port", "0", "--dir", site_.str()});
        const int port = port_of(program.read_line());
        const std::string page = ask(port, "GET /");
        EXPECT_EQ(status_of(page), 200) << page;
        EXPECT_EQ(body_of(page), "<!doctype html>page");
        if (number == SIGINT) {
            const std::string own = "Origin: http://127.0.0.1:" + std::to_string(port) + "\r\n";
            const std::string timing = ask(port, "POST /native/timing", own);
            ASSERT_EQ(status_of(timing), 200) << timing;
            const auto found = nlohmann::json::parse(body_of(timing));
            // What a reader of a bench.json wants of the machine (core/lab/bench_file.cpp).
            for (const char* text : {"cpu", "instruction_set", "version"}) {
                EXPECT_TRUE(found["machine"][text].is_string()) << text;
            }
            EXPECT_GE(found["machine"]["cores"], 1);
            EXPECT_EQ(found["made_up_weights"], false);
            // As the browser first: one thread, float32, the slowest kernels.
            EXPECT_EQ(found["results"][2]["what"], "step 3 with cache, float32");
            EXPECT_EQ(found["results"][2]["threads"], 1);
            EXPECT_EQ(found["results"].size(), 4 * found["machine"]["threads"].size());
            std::set<std::string> what;
            for (const auto& row : found["results"]) {
                what.insert(row["what"]);
                EXPECT_GT(row["min"], 0);
                EXPECT_LE(row["min"], row["median"]);
                EXPECT_LE(row["median"], row["max"]);
                EXPECT_EQ(row["size"], "demo");
                EXPECT_GE(row["threads"], 1);
                EXPECT_TRUE(row["unit"] == "s" || row["unit"] == "tokens/s");
                EXPECT_TRUE(row["share_of_limit"].is_null());
            }
            EXPECT_EQ(what.size(), 8U) << "prefill, decode and step 3 either way, float32 and float16";
            EXPECT_EQ(status_of(ask(port, "POST /native/timing")), 403) << "without an Origin";
        }
        ::kill(program.pid(), number);
        const ProgramResult result = program.finish();
        EXPECT_EQ(result.status, 128 + number) << result.err;
    }
}

TEST_F(CliServe, APortInUse) {
    RunningProgram first({"serve", "--port", "0", "--dir", site_.str()});
    const std::string port = std::to_string(port_of(first.read_line()));
    const ProgramResult second = run_program({"serve", "--port", port, "--dir", site_.str()});
    EXPECT_EQ(second.status, 3);
    EXPECT_NE(second.err.find("mm-native: port " + port + ": is in use by another program\n"),
              std::string::npos)
        << second.err;
    ::kill(first.pid(), SIGTERM);
    EXPECT_EQ(first.finish().status, 143);
    // The port is free again at once.
    RunningProgram third({"serve", "--port", port, "--dir", site_.str()});
    EXPECT_EQ(std::to_string(port_of(third.read_line())), port);
    ::kill(third.pid(), SIGTERM);
    EXPECT_EQ(third.finish().status, 143);
}

}  // namespace
}  // namespace mm
