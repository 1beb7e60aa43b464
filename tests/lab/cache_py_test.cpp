// cache.py: what is embedded is the script, and the script agrees with the native lab.
//
// The second half runs it with real PyTorch and MiniMind's own source, which are not part of the repository:
// set MM_MINIMIND to a MiniMind checkout and MM_PYTHON to an interpreter that has torch and transformers
// (default /usr/bin/python3). Without them it is skipped.
#include "core/lab/cache_py.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "golden_lab.hpp"

namespace mm::test {
namespace {

TEST(CachePy, IsTheScriptInTheSourceTree) {
    EXPECT_EQ(cache_py(), read_text(std::filesystem::path(MM_SOURCE_DIR) / "core/lab/cache.py"));
}

TEST(CachePy, CallsGenerateBothWaysWithTheLabsOptions) {
    const std::string script = cache_py();
    std::size_t calls = 0;
    for (std::size_t at = 0; (at = script.find("model.generate(", at)) != std::string::npos; ++at) {
        const std::string call = script.substr(at, script.find(')', at) - at);
        for (const char* option : {"do_sample=False", "top_k=0", "top_p=1.0", "eos_token_id=None"}) {
            EXPECT_NE(call.find(option), std::string::npos) << option;
        }
        EXPECT_NE(call.find(calls == 0 ? "use_cache=True" : "use_cache=False"), std::string::npos) << call;
        ++calls;
    }
    EXPECT_EQ(calls, 2u);
}

struct Finished {
    int status = -1;
    std::string output;  // stdout and stderr
};

Finished run(const std::string& command) {
    Finished result;
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return result;
    std::array<char, 4096> buffer{};
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
        result.output.append(buffer.data(), size);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    return result;
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

// A folder with the native lab's artifacts for the golden models, made once for all tests.
class CachePyWithMiniMind : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = std::filesystem::temp_directory_path() / ("mm-cache-py-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_ / "native");
        GoldenLab lab;
        for (const Artifact& artifact : artifacts(run_lab(lab.context, {"cache", "same", "count"}))) {
            write(folder_ / "native" / artifact.name, artifact.text);
        }
    }
    static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

    void SetUp() override {
        const char* minimind = std::getenv("MM_MINIMIND");
        if (minimind == nullptr) GTEST_SKIP() << "MM_MINIMIND names no MiniMind checkout";
        const char* python = std::getenv("MM_PYTHON");
        python_ = python != nullptr ? python : "/usr/bin/python3";
        if (run(python_ + " -c 'import torch, transformers, tokenizers'").status != 0) {
            GTEST_SKIP() << python_ << " lacks torch or transformers (set MM_PYTHON)";
        }
    }

    Finished cache_py_in(const std::string& name, const std::string& options) const {
        return run("PYTHONWARNINGS=ignore " + python_ + " " + (folder_ / name / "cache.py").string() + " " +
                   options);
    }

    static std::filesystem::path copy_of_native(const std::string& name) {
        std::filesystem::copy(folder_ / "native", folder_ / name);
        return folder_ / name;
    }

    static std::string golden_ref() { return "--ref " + kLabGolden.string(); }

    static inline std::filesystem::path folder_;
    std::string python_;
};

TEST_F(CachePyWithMiniMind, AgreesWithTheNativeLabAndWritesTheSameBytes) {
    const std::filesystem::path out = folder_ / "out";
    const Finished result = cache_py_in("native", golden_ref() + " --out " + out.string());
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_NE(result.output.find("same.json   같습니다"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("count.json  같습니다"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("time.json   없어서 견주지 않았습니다"), std::string::npos) << result.output;
    for (const char* name : {"same.json", "count.json"}) {
        EXPECT_EQ(read_text(out / name), read_text(folder_ / "native" / name)) << name;
    }
    const Json time = Json::parse(read_text(out / "time.json"));
    EXPECT_EQ(time["speedup"].get<double>(),
              time["without_cache_s"].get<double>() / time["with_cache_s"].get<double>());
}

TEST_F(CachePyWithMiniMind, NamesWhatDiffers) {
    const std::filesystem::path changed = copy_of_native("changed");
    Json same = Json::parse(read_text(changed / "same.json"));
    same["ids"][9] = 3;
    write(changed / "same.json", same.dump());
    write(changed / "count.json", "[1, 2");
    write(changed / "time.json", "{\"with_cache_s\": 2.0, \"without_cache_s\": 1.0, \"speedup\": 2.0}");
    const Finished result = cache_py_in("changed", golden_ref());
    EXPECT_EQ(result.status, 1) << result.output;
    for (const char* phrase : {"10번째 새 토큰에서 갈립니다: 파일 3,", "count.json  다름: 읽을 수 없습니다",
                               "캐시 쪽이 빠르지 않습니다", "두 시간의 비 0.5"}) {
        EXPECT_NE(result.output.find(phrase), std::string::npos) << phrase << " in\n" << result.output;
    }
}

TEST_F(CachePyWithMiniMind, SaysInOneLineWhatIsMissing) {
    const Finished result = cache_py_in("native", "--ref " + (folder_ / "nowhere").string());
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.output,
              "cache.py: " + (folder_ / "nowhere/ref/pretrain.pth").string() + ": 파일이 없습니다\n");
    const Finished tokenizer =
        cache_py_in("native", golden_ref() + " --tokenizer " + (folder_ / "nowhere").string());
    EXPECT_EQ(tokenizer.status, 3);
    EXPECT_NE(tokenizer.output.find("tokenizer.json을 찾지 못했습니다"), std::string::npos)
        << tokenizer.output;
}

}  // namespace
}  // namespace mm::test
