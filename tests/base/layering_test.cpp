// The architecture as a test: a file includes only lower layers (core/README.md, "Layers").
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

namespace {

const std::map<std::string, int> kRanks = {{"core/base", 0},   {"core/tensor", 1}, {"core/checkpoint", 2},
                                           {"core/text", 2},   {"core/model", 3},  {"core/reference", 4},
                                           {"core/decode", 4}, {"core/lab", 5},    {"core/why", 6},
                                           {"core/page", 7},   {"native", 8},      {"wasm", 8}};

std::string layer_of(const std::string& path) {
    for (const auto& [layer, rank] : kRanks) {
        if (path.starts_with(layer + "/")) return layer;
    }
    return "";
}

// What `#include "…"` names; nothing for any other line.
std::optional<std::string> included(const std::string& line) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') return std::nullopt;
    const std::size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) return std::nullopt;
    const std::size_t open = line.find_first_not_of(" \t", word + 7);
    if (open == std::string::npos || line[open] != '"') return std::nullopt;
    const std::size_t close = line.find('"', open + 1);
    if (close == std::string::npos) return std::nullopt;
    return line.substr(open + 1, close - open - 1);
}

TEST(Layering, NoFileIncludesUpwardOrSideways) {
    const std::filesystem::path root = MM_SOURCE_DIR;
    int files = 0;
    int includes = 0;
    for (const char* top : {"core", "native", "wasm"}) {
        if (!std::filesystem::exists(root / top)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".hpp" && extension != ".cpp" && extension != ".inc") continue;
            const std::string from = std::filesystem::relative(entry.path(), root).generic_string();
            const std::string from_layer = layer_of(from);
            ASSERT_FALSE(from_layer.empty()) << from << " belongs to no layer";
            ++files;
            std::ifstream in(entry.path());
            for (std::string line; std::getline(in, line);) {
                const std::optional<std::string> name = included(line);
                if (!name) continue;
                ++includes;
                const std::string& to = *name;
                const std::string to_layer = layer_of(to);
                EXPECT_FALSE(to_layer.empty())
                    << from << " includes \"" << to << "\": not a root-relative path";
                if (to_layer.empty() || to_layer == from_layer) continue;
                EXPECT_LT(kRanks.at(to_layer), kRanks.at(from_layer)) << from << " includes " << to;
            }
        }
    }
    EXPECT_GT(files, 0);
    EXPECT_GT(includes, 0);
}

}  // namespace
