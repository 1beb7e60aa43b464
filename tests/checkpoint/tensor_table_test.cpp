#include "core/checkpoint/tensor_table.hpp"

#include "core/checkpoint/names.hpp"
#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

using Names = std::vector<std::string>;

const float kData[6] = {};

TensorTable table_of(const Names& names) {
    TensorTable table("model.pth", "torch zip");
    for (const std::string& name : names) {
        table.add(name, {DType::f32, {2, 3}, {3, 1}, reinterpret_cast<const std::byte*>(kData)});
    }
    return table;
}

std::string reason(const TensorTable& table, std::string_view name, const std::vector<std::int64_t>& shape,
                   ErrorKind kind) {
    try {
        table.get(name, shape);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind);
        return error.what();
    }
    return "";
}

TEST(TensorTable, NamesFileTensorExpectedAndFound) {
    const TensorTable table = table_of({"a"});
    EXPECT_EQ(reason(table, "a", {3, 2}, ErrorKind::shape),
              "model.pth: tensor a: shape: expected [3, 2], found [2, 3]");
    EXPECT_EQ(reason(table, "b", {2, 3}, ErrorKind::format), "model.pth: tensor b: missing");
    EXPECT_EQ(reason(table, "a", {2, 3}, ErrorKind::internal), "");
}

TEST(TensorTable, TellsWhatNobodyAskedFor) {
    const TensorTable table = table_of({"c", "a", "b"});
    EXPECT_EQ(table.unused(), (Names{"c", "a", "b"}));
    table.get("a", {2, 3});
    EXPECT_TRUE(table.contains("c"));
    EXPECT_NE(table.find("b"), nullptr);
    EXPECT_EQ(table.find("d"), nullptr);
    EXPECT_EQ(reason(table, "c", {1}, ErrorKind::shape).empty(), false);
    EXPECT_EQ(table.unused(), (Names{"c", "b"})) << "looking at one, or asking in vain, is no use";
}

TEST(TensorTable, HoldsNoViewOfATypeThatIsNoWeights) {
    TensorTable table = table_of({"a"});
    EXPECT_EQ(table.common_dtype(), "float32");
    table.add("n", {DType::u8, {2, 3}, {3, 1}, reinterpret_cast<const std::byte*>(kData)});
    table.add_foreign("u", "uint16", {2, 3});
    EXPECT_EQ(table.entries()[1].dtype, "uint8");
    EXPECT_EQ(table.entries()[2].dtype, "uint16");
    EXPECT_EQ(table.entries()[2].shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_FALSE(table.entries()[2].view);
    EXPECT_EQ(table.common_dtype(), "mixed");
    for (const auto& [name, dtype] : {std::pair{"n", "uint8"}, {"u", "uint16"}}) {
        const std::string line = std::string("model.pth: tensor ") + name + ": dtype: " + dtype +
                                 "; weights are float32, float16 or bfloat16";
        EXPECT_EQ(reason(table, name, {2, 3}, ErrorKind::unsupported), line);
        try {
            table.find(name);
            ADD_FAILURE() << name << " was handed out";
        } catch (const Error& error) {
            EXPECT_EQ(error.what(), line);
        }
    }
}

TEST(TensorTable, RefusesANameGivenTwice) {
    try {
        table_of({"a", "a"});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.what(), std::string("model.pth: tensor a: the name is given twice"));
    }
}

TEST(TensorTable, WritesShapes) {
    EXPECT_EQ(shape_string({}), "[]");
    EXPECT_EQ(shape_string({1, 100, 2, 32}), "[1, 100, 2, 32]");
}

TEST(UnwrappedNames, LoseWhatWrappersAdd) {
    EXPECT_EQ(unwrapped_names({"module.a", "module.b.c"}), (Names{"a", "b.c"}));
    EXPECT_EQ(unwrapped_names({"module.a", "b"}), (Names{"module.a", "b"})) << "a submodule of this name";
    EXPECT_EQ(unwrapped_names({"_orig_mod.a", "x._orig_mod.y"}), (Names{"a", "x.y"}));
    EXPECT_EQ(unwrapped_names({"_orig_mod.module.a", "module._orig_mod.b"}), (Names{"a", "b"}));
    EXPECT_EQ(unwrapped_names({"my_orig_mod.a", "_orig_mod"}), (Names{"my_orig_mod.a", "_orig_mod"}));
    EXPECT_EQ(unwrapped_names({"module."}), (Names{"module."}));
    EXPECT_EQ(unwrapped_names({}), Names{});
}

TEST(UnwrappedNames, TakeLinearTime) {
    std::string wrapped;
    for (int i = 0; i < 400'000; ++i) wrapped += "_orig_mod.";  // erased one by one: minutes
    EXPECT_EQ(unwrapped_names({wrapped + "a", "x." + wrapped + "y"}), (Names{"a", "x.y"}));
}

}  // namespace
}  // namespace mm
