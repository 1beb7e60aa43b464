// Golden cases for tests: a checkpoint and what MiniMind's PyTorch code computes for it.
//
// The cases in tests/golden/model are always there; the full set is read as well when it lies beside the
// source tree.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/json.hpp"
#include "core/checkpoint/tensor_table.hpp"
#include "core/model/model.hpp"

namespace mm::test {

inline const std::filesystem::path kGolden =
    std::filesystem::path(MM_SOURCE_DIR) / "tests" / "golden" / "model";
inline const std::filesystem::path kFullGolden =
    std::filesystem::path(MM_SOURCE_DIR) / ".." / "shared" / "golden" / "model";

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::vector<float> read_floats(const std::filesystem::path& path) {
    const std::string bytes = read_text(path);
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    return out;
}

inline std::vector<TokenId> ids_of(const Json& list) {
    return list.get<std::vector<TokenId>>();
}

/// One case folder, loaded; the model reads its shapes from the checkpoint and only what shapes cannot tell
/// from the case's configuration.
class GoldenCase {
  public:
    explicit GoldenCase(const std::filesystem::path& folder)
        : json(Json::parse(read_text(folder / "case.json"))),
          checkpoint_path((folder / json["checkpoint"].get<std::string>()).lexically_normal()),
          folder_(folder),
          bytes_(read_text(checkpoint_path)) {}

    const Json json;
    const std::filesystem::path checkpoint_path;

    TensorTable table() const { return read_checkpoint(as_bytes(bytes_), checkpoint_path.string()); }
    ModelConfig config() const {
        return ModelConfig::from_checkpoint(table(), &json["config"], "case.json", {});
    }
    Model model(int threads = 1) const {
        return Model(table(), config(), std::make_shared<ThreadPool>(threads));
    }
    std::vector<float> floats(const Json& file) const {
        return read_floats(folder_ / file.get<std::string>());
    }

  private:
    std::filesystem::path folder_;
    std::string bytes_;
};

/// Folders of all cases: the repository's own, then those only the full set has.
inline std::vector<std::filesystem::path> case_folders() {
    std::vector<std::filesystem::path> own;
    std::vector<std::filesystem::path> more;
    for (const auto& entry : std::filesystem::directory_iterator(kGolden / "cases"))
        own.push_back(entry.path());
    std::sort(own.begin(), own.end());
    if (std::filesystem::exists(kFullGolden / "cases")) {
        for (const auto& entry : std::filesystem::directory_iterator(kFullGolden / "cases")) {
            if (!std::filesystem::exists(kGolden / "cases" / entry.path().filename()))
                more.push_back(entry.path());
        }
    }
    std::sort(more.begin(), more.end());
    own.insert(own.end(), more.begin(), more.end());
    return own;
}

inline std::string case_name(const testing::TestParamInfo<std::filesystem::path>& info) {
    return info.param.filename().string();
}

inline double largest_difference(const std::vector<float>& expected, const float* found) {
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double difference = std::abs(double{expected[i]} - double{found[i]});
        if (!(difference <= largest)) largest = difference;  // a NaN is kept
    }
    return largest;
}

inline bool same_bits(const float* a, const float* b, std::size_t n) {
    return std::memcmp(a, b, n * sizeof(float)) == 0;
}

}  // namespace mm::test
