// Checkpoints in several files, and experts that are stored in one tensor.
#include "core/checkpoint/shards.hpp"

#include "core/checkpoint/fused_experts.hpp"
#include "tests/checkpoint/forge.hpp"
#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

const std::string kIndex = "model.safetensors.index.json";

std::string index_error(const std::string& json) {
    try {
        read_shard_index(json, kIndex);
    } catch (const Error& error) {
        EXPECT_EQ(error.context().file, kIndex) << error.what();
        EXPECT_EQ(error.kind(), ErrorKind::format);
        return error.message();
    }
    return "";
}

TEST(ShardIndex, NamesEachShardOnce) {
    const ShardIndex index = read_shard_index(
        R"({"metadata": {"total_size": 8}, "weight_map": {"a": "y", "b": "x", "c": "y"}})", kIndex);
    EXPECT_EQ(index.shards(), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(index.weight_map.at("b"), "x");
}

TEST(ShardIndex, LeadsNowhereElse) {
    for (const char* name : {"../x", "/etc/passwd", "a/b", "..", ".", "", "a\\\\b", "a\\nb", "x\\u0000y"}) {
        EXPECT_NE(index_error(std::string(R"({"weight_map": {"a": ")") + name + "\"}}"), "") << name;
    }
    EXPECT_NE(index_error("{}").find("missing"), std::string::npos);
    EXPECT_NE(index_error("[]"), "");
    EXPECT_NE(index_error(R"({"weight_map": {}})"), "");
    EXPECT_NE(index_error(R"({"weight_map": ["a"]})"), "");
    EXPECT_NE(index_error(R"({"weight_map": {"a": 1}})"), "");
    EXPECT_NE(index_error("{\"weight_map\""), "");
}

std::string shard(const std::string& name, char value) {
    return forge::safetensors("{\"" + name + R"(":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
                              std::string(2, value));
}

TEST(Shards, MakeOneTableAndErrorsNameTheirFile) {
    const std::string one = shard("a", 1), two = shard("b", 2);
    const auto tables = [&] {
        return std::vector<TensorTable>{read_shard(as_bytes(one), "dir/x"),
                                        read_shard(as_bytes(two), "dir/y")};
    };
    const TensorTable table =
        join_shards(read_shard_index(R"({"weight_map": {"a": "x", "b": "y"}})", "dir/i.json"), tables());
    EXPECT_EQ(table.file(), "dir/i.json");
    EXPECT_EQ(table.format(), "safetensors, sharded");
    ASSERT_EQ(table.entries().size(), 2U);
    EXPECT_EQ(table.file_of("a"), "dir/x");
    EXPECT_EQ(table.file_of("b"), "dir/y");
    EXPECT_EQ(table.file_of("c"), "dir/i.json");
    EXPECT_EQ(test::elements(*table.entry("b")->view), (std::vector<double>{2, 2}));
    try {
        table.get("b", {2});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.context().file, "dir/y");
    }
    try {
        join_shards(read_shard_index(R"({"weight_map": {"a": "y", "b": "y", "c": "x"}})", "i.json"),
                    tables());
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.what(), std::string("dir/y: tensor a: is not in this file, though i.json says so"));
    }
    try {
        const std::vector<TensorTable> twice = {read_shard(as_bytes(one), "x"),
                                                read_shard(as_bytes(one), "y")};
        join_shards(read_shard_index(R"({"weight_map": {"a": "x", "b": "y"}})", "i.json"), twice);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.what(), std::string("y: tensor a: the name is given twice"));
    }
}

TEST(ShardName, SaysWhichOfHowMany) {
    const auto name = shard_name("model-00003-of-00007.safetensors");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->number, 3);
    EXPECT_EQ(name->count, 7);
    EXPECT_EQ(name->index, kIndex);
    EXPECT_EQ(shard_name("pytorch_model-00001-of-00002.bin")->index, "pytorch_model.bin.index.json");
    for (const char* other :
         {"model.safetensors", "model-00001-of-00001.safetensors", "model-00000-of-00002.safetensors",
          "model-00003-of-00002.bin", "model-1-of-2.bin", "-00001-of-00002", "00001-of-00002.bin",
          "model-0000a-of-00002.bin", "", "."}) {
        EXPECT_FALSE(shard_name(other)) << other;
    }
}

std::string numbers(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += static_cast<char>(i);
    return out;
}

// [E, 2F, D] = [2, 4, 3] and [E, D, F] = [2, 3, 2].
std::string fused(const std::string& down_shape = "[2,3,2]") {
    return forge::safetensors(
        R"({"l.mlp.experts.gate_up_proj":{"dtype":"U8","shape":[2,4,3],"data_offsets":[0,24]},)"
        R"("l.mlp.experts.down_proj":{"dtype":"U8","shape":)" +
            down_shape + R"(,"data_offsets":[24,36]}})",
        numbers(36));
}

TEST(FusedExperts, AreListedApart) {
    const test::Loaded loaded(fused(), "f.safetensors");
    const TensorTable& table = loaded.table();
    EXPECT_EQ(table.entries().size(), 6U);
    const auto values = [&](const char* name) { return test::elements(*table.entry(name)->view); };
    EXPECT_EQ(values("l.mlp.experts.0.gate_proj.weight"), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(values("l.mlp.experts.0.up_proj.weight"), (std::vector<double>{6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(values("l.mlp.experts.1.gate_proj.weight"), (std::vector<double>{12, 13, 14, 15, 16, 17}));
    EXPECT_EQ(values("l.mlp.experts.1.up_proj.weight"), (std::vector<double>{18, 19, 20, 21, 22, 23}));
    EXPECT_EQ(values("l.mlp.experts.1.down_proj.weight"), (std::vector<double>{30, 31, 32, 33, 34, 35}));
    EXPECT_EQ(table.entry("l.mlp.experts.0.down_proj.weight")->shape, (std::vector<std::int64_t>{3, 2}));
}

TEST(FusedExperts, OfAnotherLayoutStayAsTheyAre) {
    const test::Loaded loaded(fused("[2,2,3]"), "f.safetensors");
    EXPECT_EQ(loaded.table().entries().size(), 2U);
}

TEST(FusedExperts, CannotClaimMemory) {
    // A kilobyte that would become a million entries.
    const std::string file = forge::safetensors(
        R"({"l.experts.gate_up_proj":{"dtype":"U8","shape":[1000000,0,0],"data_offsets":[0,0]},)"
        R"("l.experts.down_proj":{"dtype":"U8","shape":[1000000,0,0],"data_offsets":[0,0]}})",
        "");
    EXPECT_EQ(test::Loaded(file, "f.safetensors").table().entries().size(), 2U);
}

}  // namespace
}  // namespace mm
