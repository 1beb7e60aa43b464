// torch.save's files, made by hand where PyTorch would not: every claim about a tensor that can be wrong,
// every container that can be.
#include <ctime>

#include "tests/checkpoint/forge.hpp"
#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

using namespace forge;
using test::error_of;
constexpr std::int64_t kHuge = std::int64_t{1} << 62;

void expect_tensor_error(const Tensor& tensor, const char* field, const char* why) {
    const Error error = error_of(one_tensor(tensor));
    EXPECT_EQ(error.context().tensor, "w") << error.what();
    EXPECT_EQ(error.context().field, field) << error.what();
    EXPECT_NE(error.message().find(why), std::string::npos) << error.what();
}

TEST(TorchTensor, TheHandMadeOneIsRead) {
    const test::Loaded loaded(one_tensor({}));
    const TensorView& view = loaded.table().get("w", {2, 3});
    EXPECT_EQ(test::elements(view), std::vector<double>(6, 0.0));
}

TEST(TorchTensor, WrongClaimsAreNamed) {
    expect_tensor_error({.offset = -1}, "storage_offset", "negative");
    expect_tensor_error({.offset = 1}, "storage_offset", "the storage has 6 elements");
    expect_tensor_error({.offset = kHuge}, "storage_offset", "the storage has 6 elements");
    expect_tensor_error({.offset = INT64_MAX}, "storage_offset", "the storage has 6 elements");
    expect_tensor_error({.size = {2, -3}}, "size", "negative");
    expect_tensor_error({.size = {3, 3}}, "size", "too large");
    expect_tensor_error({.size = {kHuge, kHuge}}, "size", "overflows");
    expect_tensor_error({.size = {0, kHuge, kHuge}, .stride = {1, 1, 1}}, "size", "overflows");
    expect_tensor_error({.size = {1, kHuge}}, "size", "too large");
    expect_tensor_error({.size = {2}}, "stride", "not as many entries");
    expect_tensor_error({.stride = {4, 1}}, "stride", "past the end");
    expect_tensor_error({.stride = {-3, 1}}, "stride", "negative");
    expect_tensor_error({.stride = {INT64_MAX, INT64_MAX}}, "stride", "overflows");
    expect_tensor_error({.numel = 7}, "storage numel", "claims 28 bytes");
    expect_tensor_error({.numel = -1}, "storage numel", "negative");
    expect_tensor_error({.numel = INT64_MAX}, "storage numel", "overflows");
    expect_tensor_error({.key = "1"}, "storage key", "no record");
    expect_tensor_error({.key = "../data.pkl"}, "storage key", "no record");
    expect_tensor_error({.numel = 3}, "size", "too large");
    expect_tensor_error({.metadata = dict({text("neg"), "\x88"})}, "metadata neg", "not read");
    expect_tensor_error({.storage_class = "TypedStorage"}, "storage", "unknown class");
}

TEST(TorchTensor, ZeroSizesAndZeroStridesAreFine) {
    EXPECT_EQ(test::Loaded(one_tensor({.offset = kHuge, .size = {0, 3}})).table().get("w", {0, 3}).numel(),
              0);
    EXPECT_EQ(test::Loaded(one_tensor({.size = {}, .stride = {}})).table().get("w", {}).numel(), 1);
    const test::Loaded repeated(one_tensor({.size = {4, 3}, .stride = {0, 1}}));
    EXPECT_EQ(test::elements(repeated.table().get("w", {4, 3})).size(), 12U);
    EXPECT_EQ(test::Loaded(one_tensor({.metadata = dict({text("neg"), "\x89"})})).table().entries().size(),
              1U);
}

TEST(TorchTensor, ATensorCannotBeLargerThanItsFile) {
    expect_tensor_error({.size = {std::int64_t{1} << 40, 3}, .stride = {0, 1}}, "size",
                        "more bytes than the file");
    const std::string storage(24, '\0');
    std::vector<std::string> pairs;
    for (int i = 0; i < 3000; ++i) {
        pairs.push_back(text("w" + std::to_string(i)));
        pairs.push_back(i == 0 ? rebuild({.numel = 100'000, .size = {100'000}, .stride = {1}}) + "q\x01"
                               : "h\x01");
    }
    const Error error = error_of(torch_zip(dict(pairs), {std::string(400'000, '\0')}));
    EXPECT_EQ(error.context().field, "size");
    EXPECT_NE(error.message().find("share their bytes so often"), std::string::npos) << error.what();
}

TEST(TorchObject, WhatIsNoStateDictIsNamed) {
    EXPECT_EQ(error_of(torch_zip(list({}))).message(), "holds a list, not a state dict");
    EXPECT_EQ(error_of(torch_zip(rebuild({}), {std::string(24, '\0')})).message(),
              "holds an object, not a state dict");
    const Error module =
        error_of(torch_zip(global("model.model_minimind", "MiniMindForCausalLM") + ")\x81}b"));
    EXPECT_EQ(module.kind(), ErrorKind::unsupported);
    EXPECT_EQ(module.context().field, "global model.model_minimind.MiniMindForCausalLM");
    EXPECT_NE(module.hint().find("state_dict"), std::string::npos);
    const Error sparse = error_of(torch_zip(global("torch._utils", "_rebuild_sparse_tensor")));
    EXPECT_EQ(sparse.context().field, "global torch._utils._rebuild_sparse_tensor");
}

TEST(TorchObject, ANameGivenTwiceIsRefused) {
    const Error error =
        error_of(torch_zip(dict({text("w"), rebuild({}), text("w"), rebuild({})}), {std::string(24, '\0')}));
    EXPECT_EQ(error.context().tensor, "w");
    EXPECT_EQ(error.message(), "the name is given twice");
}

TEST(TorchObject, TheOptimizerIsNotLookedAt) {
    // Its tensor lies outside of everything; only the model's are checked.
    const std::string broken = rebuild({.key = "77", .offset = kHuge});
    const test::Loaded loaded(
        torch_zip(dict({text("optimizer"), dict({text("state"), dict({number(0), broken})}), text("model"),
                        dict({text("w"), rebuild({})}), text("epoch"), number(1)}),
                  {std::string(24, '\0')}));
    ASSERT_EQ(loaded.table().entries().size(), 1U);
    EXPECT_EQ(loaded.table().unused(), std::vector<std::string>{"w"});
    // Nor are tensors beside the model's.
    const test::Loaded beside(torch_zip(dict({text("rng_state"), rebuild({.storage_class = "ByteStorage"}),
                                              text("model"), dict({text("w"), rebuild({})})}),
                                        {std::string(24, '\0')}));
    EXPECT_EQ(beside.table().unused(), std::vector<std::string>{"w"});
}

TEST(TorchObject, NamesAreUtf8) {
    const Error error = error_of(torch_zip(dict({text("w\xFF"), rebuild({})}), {std::string(24, '\0')}));
    EXPECT_EQ(error.context().field, "tensor name");
    EXPECT_EQ(test::Loaded(torch_zip(dict({text("가중치"), rebuild({})}), {std::string(24, '\0')}))
                  .table()
                  .unused(),
              std::vector<std::string>{"가중치"});
}

TEST(TorchZip, RecordsItCannotReadAreNamed) {
    const std::string object = dict({text("w"), rebuild({})});
    const std::string six(24, '\0');
    const Error compressed =
        error_of(zip({{"archive/data.pkl", pickle(object)}, {"archive/data/0", six, 8}}));
    EXPECT_EQ(compressed.kind(), ErrorKind::unsupported);
    EXPECT_EQ(compressed.message(), "compressed record");
    EXPECT_EQ(compressed.context().field, "record archive/data/0");
    EXPECT_EQ(compressed.context().tensor, "w");
    EXPECT_EQ(error_of(zip({{"archive/data.pkl", pickle(object), 8}})).message(), "compressed record");
    EXPECT_EQ(error_of(zip({{"archive/data.pkl", pickle(object), 0, 1}})).message(), "encrypted record");
    EXPECT_EQ(error_of(zip({{"a/data.pkl", pickle(object)}, {"a/x", ""}, {"a/x", ""}})).context().field,
              "record a/x");
}

TEST(TorchZip, OtherArchivesAreNamed) {
    const Error document =
        error_of(zip({{"[Content_Types].xml", "…", 8}, {"word/document.xml", "…", 8}}), "a.docx");
    EXPECT_NE(document.message().find("without data.pkl"), std::string::npos) << document.what();
    EXPECT_NE(error_of(zip({{"notdata.pkl", "."}})).message().find("without data.pkl"), std::string::npos);
    EXPECT_NE(error_of(zip({{"m/data.pkl", "."}, {"m/constants.pkl", "."}})).message().find("TorchScript"),
              std::string::npos);
}

TEST(TorchZip, ByteOrderIsRead) {
    const std::string object = dict({text("w"), rebuild({})});
    const std::string six(24, '\0');
    EXPECT_NO_THROW(test::Loaded(torch_zip(object, {six}, {{"archive/byteorder", "little"}})));
    const Error big = error_of(torch_zip(object, {six}, {{"archive/byteorder", "big"}}));
    EXPECT_EQ(big.kind(), ErrorKind::unsupported);
    EXPECT_EQ(big.context().field, "byteorder");
    EXPECT_EQ(error_of(torch_zip(object, {six}, {{"archive/byteorder", "middle"}})).kind(),
              ErrorKind::format);
}

TEST(TorchZip, DirectoryClaimsAreChecked) {
    std::string good = one_tensor({});
    const std::size_t end = good.rfind("PK\x05\x06");
    const auto with = [&](std::size_t at, const std::string& bytes) {
        return std::string(good).replace(at, bytes.size(), bytes);
    };
    EXPECT_EQ(error_of(with(end + 10, "\xff\xff")).context().field, "zip central directory") << "count";
    EXPECT_EQ(error_of(with(end + 12, "\xff\xff\xff\x7f")).context().field, "zip central directory")
        << "size";
    EXPECT_EQ(error_of(with(end + 16, "\xff\xff\xff\x7f")).context().field, "zip central directory")
        << "offset";
    const std::size_t entry = good.find("PK\x01\x02");
    EXPECT_EQ(error_of(with(entry + 42, "\xff\xff\xff\x7f")).context().field, "record archive/data.pkl")
        << "header";
    EXPECT_EQ(error_of(with(entry + 20, "\xff\xff\xff\x7f")).message(),
              "a stored record with two different sizes");
    EXPECT_EQ(error_of(with(entry + 20, "\xff\xff\xff\x7f\xff\xff\xff\x7f")).context().field,
              "record archive/data.pkl");
    EXPECT_EQ(error_of(with(entry + 28, "\xff\x7f")).context().field, "zip central directory") << "name";
    // A locator of a zip64 end record that points anywhere.
    const std::string locator = "PK\x06\x07" + little(0, 4) + little(~std::uint64_t{3}, 8) + little(1, 4);
    EXPECT_EQ(error_of(good.substr(0, end) + locator + good.substr(end)).context().field,
              "zip central directory");
    EXPECT_NO_THROW(test::Loaded(good + "trailing bytes")) << "zip readers accept them, PyTorch's too";
}

TEST(TorchLegacy, TheHandMadeOneIsRead) {
    const std::string object = dict({text("w"), rebuild({})});
    const std::string data = little(6, 8) + std::string(24, '\0');
    EXPECT_EQ(test::Loaded(torch_legacy(object, list({text("0")}), data)).table().format(), "torch legacy");
    EXPECT_EQ(error_of(torch_legacy(object, list({text("0")}), data.substr(0, 20))).context().field,
              "storage 0");
    EXPECT_EQ(error_of(torch_legacy(object, list({text("0")}), little(7, 8) + data)).context().field,
              "storage 0");
    EXPECT_EQ(error_of(torch_legacy(object, list({text("x")}), data)).context().field, "storage keys");
    EXPECT_EQ(error_of(torch_legacy(object, "N", data)).context().field, "storage keys");
    const Error missing = error_of(torch_legacy(object, list({}), ""));
    EXPECT_EQ(missing.context().tensor, "w");
    EXPECT_EQ(missing.context().field, "storage key");
}

TEST(TorchLegacy, ViewsStayInsideTheirStorage) {
    const auto file = [](std::int64_t offset, std::int64_t size) {
        const std::string id =
            tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), number(6),
                   tuple({text("1"), number(offset), number(size)})}) +
            "Q";
        const std::string tensor = call(global("torch._utils", "_rebuild_tensor"),
                                        tuple({id, number(0), numbers({2}), numbers({1})}));
        return torch_legacy(dict({text("w"), tensor}), list({text("0")}),
                            little(6, 8) + std::string(24, '\1'));
    };
    EXPECT_NO_THROW(test::Loaded(file(4, 2)));
    EXPECT_EQ(error_of(file(5, 2)).context().field, "storage view");
    EXPECT_EQ(error_of(file(-1, 2)).context().field, "storage view");
    EXPECT_EQ(error_of(file(kHuge, 2)).context().field, "storage view");
    EXPECT_EQ(error_of(file(0, 1)).context().field, "size");
}

TEST(OtherFiles, AreNamed) {
    const std::string pointer = "version git-lfs/spec/v1\noid sha256:00\nsize 9\n";
    const std::pair<std::string, const char*> cases[] = {
        {pointer, "Git LFS pointer"},
        {"\n<!DOCTYPE html><html>", "web page"},
        {"<HTML><head>", "web page"},
        {"\x1f\x8b\x08" + std::string(20, '\0'), "gzip"},
        {std::string(257, 'x') + "ustar" + std::string(250, '\0'), "tar archive"},
        {"GGUF\x03" + std::string(20, '\0'), "GGUF"},
        {"{\"metadata\": {}, \"weight_map\": {}}", "JSON"},
        {std::string("PK\x05\x06") + std::string(18, '\0'), "empty zip"},
        {pickle(dict({text("a"), number(1)})), "bare pickle"},
        {"hello", "not a checkpoint"},
        {"config\nfoo\nbar\n", "not a checkpoint"},
        {"\x80", "bare pickle"},
        {"", "empty"},
    };
    for (const auto& [bytes, why] : cases) {
        const Error error = error_of(bytes);
        EXPECT_NE(error.message().find(why), std::string::npos) << why << " ← " << error.what();
    }
}

// Reading looks at headers only: the data may be of any size.
TEST(TorchZip, ReadsALargeFileInMilliseconds) {
    constexpr std::int64_t kNumel = 8 << 20;  // 32 MB
    const std::string file =
        torch_zip(dict({text("w"), rebuild({.numel = kNumel, .size = {kNumel}, .stride = {1}})}),
                  {std::string(kNumel * 4, '\0')});
    const std::clock_t start = std::clock();  // of this process: other programs do not count
    const TensorTable table = read_checkpoint(as_bytes(file), "large.pth");
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const auto* first = reinterpret_cast<const char*>(table.get("w", {kNumel}).data);
    EXPECT_TRUE(first > file.data() && first + kNumel * 4 < file.data() + file.size()) << "no copy";
    EXPECT_LT(seconds, 0.01);
}

}  // namespace
}  // namespace mm
