// Files below tests/.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace mm::fuzz {

inline std::filesystem::path test_path(const std::string& below_tests) {
    return std::filesystem::path(MM_SOURCE_DIR) / "tests" / below_tests;
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string read_test_file(const std::string& below_tests) {
    return read_file(test_path(below_tests));
}

}  // namespace mm::fuzz
