// Every fuzz target on its seeds and on the inputs that once found something (tests/fuzz/regressions), in
// every build and on every compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs(const fs::path& place) {
    if (fs::is_regular_file(place)) return {place};
    std::vector<fs::path> found;
    if (!fs::is_directory(place)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
        if (entry.is_regular_file()) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

// From seeds.txt, which run.sh reads too.
std::vector<std::string> seeds_of(std::string_view target) {
    std::istringstream lines(read_test_file("fuzz/seeds.txt"));
    std::vector<std::string> found;
    for (std::string name, place; lines >> name && std::getline(lines >> std::ws, place);) {
        if (name == target) found.push_back(place);
    }
    return found;
}

TEST(FuzzReplay, SeedsAndRegressions) {
    for (const Target& target : targets()) {
        std::vector<fs::path> files = inputs(test_path("fuzz/regressions/" + std::string(target.name)));
        for (const std::string& seeds : seeds_of(target.name)) {
            const std::vector<fs::path> more = inputs(test_path(seeds));
            EXPECT_FALSE(more.empty()) << seeds;
            files.insert(files.end(), more.begin(), more.end());
        }
        EXPECT_FALSE(files.empty()) << target.name;
        for (const fs::path& path : files) {
            constexpr std::uintmax_t kLargest = 200'000;
            if (fs::file_size(path) > kLargest) continue;
            try {
                target.run(read_file(path));
            } catch (const std::exception& error) {
                ADD_FAILURE() << target.name << " on " << path << ": " << error.what();
            }
        }
    }
}

TEST(FuzzReplay, NothingAndOneByte) {
    for (const Target& target : targets()) {
        EXPECT_NO_THROW(target.run("")) << target.name;
        for (int byte = 0; byte < 256; ++byte) {
            const char c = static_cast<char>(byte);
            EXPECT_NO_THROW(target.run({&c, 1})) << target.name << " " << byte;
        }
    }
}

}  // namespace
}  // namespace mm::fuzz
