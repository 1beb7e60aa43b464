// Every small checkpoint of tests/golden/checkpoint against what PyTorch read from it
// (tests/reference/make_checkpoints.py).
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;
using Expected = nlohmann::json;

double number(const Expected& value) {
    if (value == "nan") return std::nan("");
    if (value == "inf") return INFINITY;
    if (value == "-inf") return -INFINITY;
    return value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
}

void compare(const TensorTable& table, const Expected& expected) {
    EXPECT_EQ(table.format(), expected["format"].get<std::string>());
    const Expected& tensors = expected["tensors"];
    ASSERT_EQ(table.entries().size(), tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const TensorTable::Entry& entry = table.entries()[i];
        const Expected& want = tensors[i];
        SCOPED_TRACE(entry.name);
        EXPECT_EQ(entry.name, want["name"].get<std::string>());
        EXPECT_EQ(entry.dtype, want["dtype"].get<std::string>());
        EXPECT_EQ(entry.shape, want["shape"].get<std::vector<std::int64_t>>());
        ASSERT_EQ(entry.view.has_value(), !want["values"].is_null());
        if (want["values"].is_null()) continue;
        EXPECT_EQ(entry.view->strides, want["strides"].get<std::vector<std::int64_t>>());
        const std::vector<double> values = test::elements(*entry.view);
        ASSERT_EQ(values.size(), want["values"].size());
        for (std::size_t j = 0; j < values.size(); ++j) {
            const double right = number(want["values"][j]);
            if (std::isnan(right)) {
                EXPECT_TRUE(std::isnan(values[j])) << j;
            } else {
                EXPECT_EQ(values[j], right) << j;
                EXPECT_EQ(std::signbit(values[j]), std::signbit(right)) << j;
            }
        }
        // Two tensors begin at one byte exactly when PyTorch has them at one address.
        for (std::size_t j = 0; j < i; ++j) {
            if (tensors[j]["same_as"].is_null() || want["same_as"].is_null()) continue;
            EXPECT_EQ(table.entries()[j].view->data == entry.view->data,
                      tensors[j]["same_as"] == want["same_as"])
                << tensors[j]["name"];
        }
    }
}

TEST(CheckpointGolden, ReadsWhatPyTorchReads) {
    std::map<std::string, int> formats;
    for (const auto& item : fs::recursive_directory_iterator(test::golden())) {
        const fs::path path = item.path();
        const std::string extension = path.extension().string();
        if (extension != ".pth" && extension != ".safetensors") continue;
        if (path.string().find("malformed") != std::string::npos) continue;
        SCOPED_TRACE(path.string());
        const auto expected = Expected::parse(test::read_file(fs::path(path).replace_extension(".json")));
        const test::Loaded loaded(test::read_file(path), path.filename().string());
        compare(loaded.table(), expected);
        ++formats[loaded.table().format()];
    }
    // A set that was not found would pass in silence.
    EXPECT_GE(formats["torch zip"], 80);
    EXPECT_GE(formats["torch legacy"], 20);
    EXPECT_GE(formats["safetensors"], 4);
}

TEST(CheckpointGolden, NameDoesNotDecideTheFormat) {
    const fs::path folder = test::golden() / "torch-2.15";
    EXPECT_EQ(test::Loaded(test::read_file(folder / "f32.pth"), "model.safetensors").table().format(),
              "torch zip");
    EXPECT_EQ(test::Loaded(test::read_file(folder / "legacy_f32.pth"), "pytorch_model.bin").table().format(),
              "torch legacy");
    EXPECT_EQ(test::Loaded(test::read_file(folder / "st_f32.safetensors"), "model.pth").table().format(),
              "safetensors");
}

// Files of a size that a model has, when they lie beside the source tree.
TEST(CheckpointGolden, ReadsTheModelCases) {
    const fs::path cases = fs::path(MM_SOURCE_DIR) / "../shared/golden/model/cases";
    if (!fs::exists(cases)) GTEST_SKIP() << "the model goldens are not beside the source tree";
    int files = 0;
    for (const auto& item : fs::recursive_directory_iterator(cases)) {
        const fs::path path = item.path();
        if (path.stem() != "model") continue;
        SCOPED_TRACE(path.string());
        const test::Loaded loaded(test::read_file(path), path.filename().string());
        const auto config = Expected::parse(test::read_file(path.parent_path() / "case.json"))["config"];
        const auto vocabulary = config["vocab_size"].get<std::int64_t>();
        const auto hidden = config["hidden_size"].get<std::int64_t>();
        loaded.table().get("model.embed_tokens.weight", {vocabulary, hidden});
        loaded.table().get("model.norm.weight", {hidden});
        EXPECT_GE(loaded.table().entries().size(), 20U);
        ++files;
    }
    EXPECT_GE(files, 15);
}

}  // namespace
}  // namespace mm
