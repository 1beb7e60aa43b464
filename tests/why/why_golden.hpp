// What tests/reference/why.py recorded from PyTorch for a model of tests/golden/model, or for the demo.
#pragma once

#include <filesystem>
#include <string>

#include "core/reference/weights.hpp"
#include "tests/model/golden_case.hpp"

namespace mm::test {

inline const std::filesystem::path kDemo = std::filesystem::path(MM_SOURCE_DIR) / "web" / "models" / "demo";

inline Model model_of(const std::string& name) {
    if (name != "demo") return GoldenCase(kGolden / "cases" / name).model();
    const std::string bytes = read_text(kDemo / "pretrain.pth");
    const TensorTable table = read_checkpoint(as_bytes(bytes), "pretrain.pth");
    return {table, ModelConfig::from_checkpoint(table, nullptr, "", {}), std::make_shared<ThreadPool>(1)};
}

inline Json why_json(const std::string& name) {
    return Json::parse(
        read_text(std::filesystem::path(MM_SOURCE_DIR) / "tests" / "golden" / "why" / (name + ".json")));
}

struct WhyGolden {
    explicit WhyGolden(const std::string& name) : model(model_of(name)), json(why_json(name)) {}

    Model model;
    reference::Weights weights{model};
    Json json;
};

/// Dense, mixture of experts, without q/k norm, YaRN, and the demo.
inline const char* const kWhyGoldens[] = {"demo",      "head_dim",      "moe_top2",
                                          "minimind2", "minimind2_moe", "yarn"};

}  // namespace mm::test
