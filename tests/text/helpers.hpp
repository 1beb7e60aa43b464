// What the tests of this layer share: files of the goldens, and small tokenizer.json texts to bend.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/json.hpp"
#include "core/text/byte_alphabet.hpp"

namespace mm {

inline const std::filesystem::path kGolden = std::filesystem::path(MM_SOURCE_DIR) / "tests/golden/tokenizer";
/// MiniMind's own files are not part of this repository; a folder beside the checkout may have them.
inline const std::filesystem::path kShared =
    std::filesystem::path(MM_SOURCE_DIR) / "../shared/golden/tokenizer";

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A whole byte-level tokenizer with the 256 byte symbols (ids 0 … 255 in byte order) and no merges.
inline Json plain_document() {
    Json vocab = Json::object();
    for (int byte = 0; byte < 256; ++byte) {
        std::string symbol;
        append_in_alphabet(symbol, std::string(1, static_cast<char>(byte)));
        vocab[symbol] = byte;
    }
    const Json byte_level = {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    return {{"version", "1.0"},
            {"added_tokens", Json::array()},
            {"normalizer", nullptr},
            {"pre_tokenizer", byte_level},
            {"post_processor", nullptr},
            {"decoder", byte_level},
            {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", Json::array()}}}};
}

inline Json added_token(const std::string& content) {
    return {{"id", 0},         {"content", content},  {"single_word", false}, {"lstrip", false},
            {"rstrip", false}, {"normalized", false}, {"special", false}};
}

}  // namespace mm
