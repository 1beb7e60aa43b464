// Broken downloads and rotten disks: every small golden checkpoint cut at every length, and with every byte
// changed, is read or refused with one line; never more. Worth most under the `asan` preset: the bytes lie in
// a block of exactly the file's size, and every element of every tensor that was accepted is read.
#include <algorithm>
#include <random>

#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

struct Outcome {
    int read = 0;
    int refused = 0;
};

// `what` was done `at` a byte: only put into words when it matters.
void try_file(std::string_view bytes, const std::string& name, const char* what, std::size_t at,
              Outcome& outcome) {
    try {
        const test::Loaded loaded(bytes, name);
        volatile double sum = 0;  // the reads count, not the result
        for (const TensorTable::Entry& entry : loaded.table().entries()) {
            if (!entry.view || entry.view->numel() > 100'000) continue;
            for (const double value : test::elements(*entry.view)) sum = sum + value;
        }
        ++outcome.read;
    } catch (const Error& error) {
        ++outcome.refused;
        ASSERT_EQ(error.context().file, name) << what << " " << at;
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos)
            << name << " " << what << " " << at;
    } catch (const std::exception& other) {
        FAIL() << name << " " << what << " " << at << ": " << other.what();
    }
}

// One version is enough for the forms that all versions write alike.
std::vector<fs::path> files() {
    std::vector<fs::path> found;
    for (const auto& item : fs::directory_iterator(test::golden() / "torch-2.15")) {
        if (item.path().extension() != ".json") found.push_back(item.path());
    }
    std::sort(found.begin(), found.end());
    EXPECT_GE(found.size(), 40U);
    return found;
}

TEST(CheckpointMutation, EveryLength) {
    Outcome outcome;
    for (const fs::path& path : files()) {
        const std::string bytes = test::read_file(path);
        const std::string name = path.filename().string();
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            try_file(std::string_view(bytes).substr(0, size), name, "cut to", size, outcome);
            if (HasFatalFailure()) return;
        }
    }
    // A cut file has lost its end, and every format needs its end.
    EXPECT_EQ(outcome.read, 0);
    EXPECT_GT(outcome.refused, 50'000);
}

TEST(CheckpointMutation, EveryByte) {
    Outcome outcome;
    std::mt19937 random(1);
    for (const fs::path& path : files()) {
        const std::string bytes = test::read_file(path);
        const std::string name = path.filename().string();
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            for (const unsigned mask : {0x01U, static_cast<unsigned>(1 + random() % 255)}) {
                std::string changed = bytes;
                changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ mask);
                try_file(changed, name, "changed at", at, outcome);
                if (HasFatalFailure()) return;
            }
        }
    }
    EXPECT_GT(outcome.read, 10'000) << "a changed weight is another weight";
    EXPECT_GT(outcome.refused, 10'000);
}

// Changes that one byte cannot make: fields filled with the values that overflow.
TEST(CheckpointMutation, ExtremeFields) {
    Outcome outcome;
    const std::string fills[] = {std::string(4, '\xFF'), std::string(8, '\xFF'), "\xFF\xFF\xFF\x7F",
                                 "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", std::string(8, '\0')};
    for (const char* name : {"f32.pth", "zip_zip64.pth", "by_hand.pth", "strided.pth", "protocol4.pth",
                             "legacy_views.pth", "legacy_protocol4.pth", "st_dtypes.safetensors"}) {
        const std::string bytes = test::read_file(test::golden() / "torch-2.15" / name);
        for (const std::string& fill : fills) {
            for (std::size_t at = 0; at + fill.size() <= bytes.size(); ++at) {
                std::string changed = bytes;
                changed.replace(at, fill.size(), fill);
                try_file(changed, name, "filled at", at, outcome);
                if (HasFatalFailure()) return;
            }
        }
    }
    EXPECT_GT(outcome.refused, 10'000);
}

}  // namespace
}  // namespace mm
