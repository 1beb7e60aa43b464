// Hostile and broken checkpoints through the real program: a line that names what is wrong, quickly, in
// little memory, and no code run. The manifest says what each file is.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/json.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace mm {
namespace {

TEST(Malformed, EveryFileOfTheManifest) {
    const std::size_t memory = program_is_sanitized() ? 0 : std::size_t{100} << 20;
    const double seconds = program_is_sanitized() ? 10 : 1;
    const std::string folder = source_file("tests/golden/checkpoint/malformed");
    const Json manifest = parse_json(read_text(folder + "/manifest.json"), "manifest.json");
    const TemporaryFolder work;  // code from a checkpoint would leave its file here
    write_text(work.path() / "config.json", manifest.at("config").dump());
    std::size_t refused = 0;
    for (const Json& entry : manifest.at("files")) {
        const std::string name = entry.at("file");
        const std::string file = folder + "/" + name;
        std::vector<std::string> arguments{"logits",  "--ids", "1,5",       "--out", "logits.bin",
                                           "--model", file,    "--threads", "2"};
        if (name.ends_with(".pth")) arguments.insert(arguments.end(), {"--config", "config.json"});
        const ProgramResult result = run_program(arguments, {.folder = work.str(), .memory_limit = memory});
        EXPECT_LT(result.seconds, seconds) << name;
        if (entry.at("expected") == "ok") {
            EXPECT_EQ(result.status, 0) << name << ": " << result.err;
            std::filesystem::remove(work.path() / "logits.bin");
            continue;
        }
        ++refused;
        EXPECT_EQ(result.status, 3) << name << ": " << result.err;
        EXPECT_TRUE(result.err.starts_with("mm-native: " + file)) << result.err;
        // Any required tensor may be named for the first; the gap that the second leaves names its neighbour.
        const bool other_tensor = name == "empty_dict.pth" || name.starts_with("st_missing_tensor/");
        if (entry.contains("tensor") && !other_tensor) {
            EXPECT_NE(result.err.find(entry["tensor"].get<std::string>()), std::string::npos)
                << name << ": " << result.err;
        }
        EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
        EXPECT_FALSE(std::filesystem::exists(work.path() / "logits.bin")) << name;
    }
    EXPECT_GT(refused, 20U);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(work.path()), {}), 1) << "only config.json";
}

// JSON grows in memory: three bytes of text may become sixty-four.
TEST(Malformed, AHugeConfigTakesLittleMemory) {
    const std::size_t memory = program_is_sanitized() ? 0 : std::size_t{100} << 20;
    const TemporaryFolder work;
    for (const std::string part : {"1,", "[],", "{},", "\"\","}) {
        for (const std::size_t size : {std::size_t{1} << 20, std::size_t{16} << 20}) {
            std::string text = "{\"a\": [";
            while (text.size() < size - 10) text += part;
            write_text(work / "config.json", text + "1]}");
            const ProgramResult result =
                run_program({"topp", "--ids", "1", "--p", "0.5", "--config", work / "config.json"},
                            {.memory_limit = memory});
            EXPECT_EQ(result.status, 3) << part << size;
            EXPECT_TRUE(result.err.starts_with("mm-native: " + (work / "config.json") + ": ")) << result.err;
        }
    }
}

}  // namespace
}  // namespace mm
