// The lab's goldens: two small models, a tokenizer and documents, in the official layout, and what MiniMind's
// own generate gives for them (tests/reference/make_lab_goldens.py).
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include "core/checkpoint/tensor_table.hpp"
#include "core/lab/documents.hpp"
#include "core/lab/lab.hpp"

namespace mm::test {

inline const std::filesystem::path kLabGolden =
    std::filesystem::path(MM_SOURCE_DIR) / "tests" / "golden" / "lab";

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline Model load_model(const std::filesystem::path& path, int threads) {
    const std::string bytes = read_text(path);
    const TensorTable table = read_checkpoint(as_bytes(bytes), path.filename().string());
    return {table, ModelConfig::from_checkpoint(table, nullptr, "", {}),
            std::make_shared<ThreadPool>(threads)};
}

/// Everything a LabContext points to. The clock is a counter: each reading is a millisecond later.
struct GoldenLab {
    explicit GoldenLab(int threads = 1)
        : pretrain(load_model(kLabGolden / "ref/pretrain.pth", threads)),
          sft(load_model(kLabGolden / "ref/sft.pth", threads)),
          tokenizer(Tokenizer::from_json(read_text(kLabGolden / "ref/tokenizer.json"), "tokenizer.json")),
          expected(Json::parse(read_text(kLabGolden / "expected.json"))) {
        context.pretrain = &pretrain;
        context.sft = &sft;
        context.tokenizer = context.sft_tokenizer = &tokenizer;
        context.documents = read_documents(read_text(kLabGolden / "data/pretrain_val.jsonl"),
                                           "pretrain_val.jsonl", kLabDocuments);
        context.clock_seconds = [this] { return 1e-3 * ++ticks; };
    }
    GoldenLab(const GoldenLab&) = delete;
    GoldenLab& operator=(const GoldenLab&) = delete;

    Model pretrain;
    Model sft;
    Tokenizer tokenizer;
    Json expected;
    int ticks = 0;
    LabContext context;
};

}  // namespace mm::test
