// safetensors headers that lie, each refused by tensor and field.
#include "tests/checkpoint/forge.hpp"
#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

using forge::safetensors;
using test::error_of;

const std::string kName = "model.safetensors";

// A file of one tensor "w" over 24 bytes of data.
std::string one(const std::string& info) {
    return safetensors("{\"w\":" + info + "}", std::string(24, '\0'));
}

void expect_error(const std::string& file, const char* tensor, const char* field, const char* why) {
    const Error error = error_of(file, kName);
    EXPECT_EQ(error.context().tensor, tensor) << error.what();
    EXPECT_EQ(error.context().field, field) << error.what();
    EXPECT_NE(error.message().find(why), std::string::npos) << error.what();
}

TEST(Safetensors, TheHandMadeOneIsRead) {
    const test::Loaded loaded(one(R"({"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})"), kName);
    EXPECT_EQ(loaded.table().get("w", {2, 3}).strides, (std::vector<std::int64_t>{3, 1}));
    EXPECT_EQ(loaded.table().format(), "safetensors");
}

TEST(Safetensors, WrongClaimsAreNamed) {
    expect_error(one(R"({"shape":[6],"data_offsets":[0,24]})"), "w", "dtype", "missing");
    expect_error(one(R"({"dtype":7,"shape":[6],"data_offsets":[0,24]})"), "w", "dtype", "expected a string");
    expect_error(one(R"({"dtype":"f32","shape":[6],"data_offsets":[0,24]})"), "w", "dtype", "not a dtype");
    expect_error(one(R"({"dtype":"","shape":[6],"data_offsets":[0,24]})"), "w", "dtype", "not a dtype");
    expect_error(one(R"({"dtype":"F32","data_offsets":[0,24]})"), "w", "shape", "missing");
    expect_error(one(R"({"dtype":"F32","shape":6,"data_offsets":[0,24]})"), "w", "shape", "expected a list");
    expect_error(one(R"({"dtype":"F32","shape":[-6],"data_offsets":[0,24]})"), "w", "shape", "whole numbers");
    expect_error(one(R"({"dtype":"F32","shape":[6.0],"data_offsets":[0,24]})"), "w", "shape",
                 "whole numbers");
    expect_error(one(R"({"dtype":"F32","shape":[7],"data_offsets":[0,24]})"), "w", "shape", "does not fit");
    expect_error(one(R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,24]})"), "w", "shape",
                 "too large");
    expect_error(one(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,24]})"), "w",
                 "shape", "overflows");
    expect_error(one(R"({"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]})"), "w", "shape",
                 "does not fit");
    expect_error(one(R"({"dtype":"F32","shape":[6]})"), "w", "data_offsets", "missing");
    expect_error(one(R"({"dtype":"F32","shape":[6],"data_offsets":[24]})"), "w", "data_offsets",
                 "expected two numbers");
    expect_error(one(R"({"dtype":"F32","shape":[6],"data_offsets":[0,24,24]})"), "w", "data_offsets",
                 "expected two numbers");
    expect_error(one(R"({"dtype":"F32","shape":[6],"data_offsets":[0,24],"dtype":"F32"})"), "",
                 "header: dtype", "twice");
    expect_error(one(R"({"dtype":"F32","shape":[[6]],"data_offsets":[0,24]})"), "w", "shape",
                 "whole numbers");
    expect_error(one(R"({"dtype":"F32","shape":{},"data_offsets":[0,24]})"), "w", "shape", "expected a list");
    expect_error(one("7"), "w", "header", "expected an object");
    expect_error(one(R"({"dtype":"F32","shape":[6],"data_offsets":[24,0]})"), "w", "data_offsets",
                 "before they begin");
    expect_error(one(R"({"dtype":"F32","shape":[7],"data_offsets":[0,28]})"), "w", "data_offsets",
                 "reach past");
    expect_error(one(R"({"dtype":"F32","shape":[5],"data_offsets":[4,24]})"), "w", "data_offsets", "gap");
    expect_error(one(R"({"dtype":"F32","shape":[5],"data_offsets":[0,20]})"), "", "data_offsets",
                 "ends at 20");
    expect_error(one("[]"), "w", "header", "expected an object");
}

TEST(Safetensors, WrongHeadersAreNamed) {
    expect_error("", "", "", "empty");
    expect_error("12345", "", "header length", "ends before");
    expect_error(forge::little(3, 8) + "{}", "", "header length", "3 bytes");
    expect_error(forge::little(std::uint64_t{9} << 20, 8) + "{" + std::string(9 << 20, ' '), "",
                 "header length", "over the limit");
    expect_error(safetensors("[]", ""), "", "header", "not a JSON object");
    expect_error(safetensors("{\"a\":", ""), "", "header", "not valid JSON");
    const std::string empty = R"({"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    expect_error(safetensors("{\"a\":" + empty + ",\"a\":" + empty + "}", ""), "", "header: a",
                 "given twice");
    expect_error(safetensors(std::string(1'000'000, '['), ""), "", "header", "nested deeper");
    expect_error(safetensors("7", ""), "", "header", "not a JSON object");
    expect_error(safetensors("{} {}", ""), "", "header", "not valid JSON");
    expect_error(safetensors("{\"\xFF\":1}", ""), "", "header", "not valid JSON");
    expect_error(safetensors("{\"__metadata__\":[]}", ""), "", "__metadata__", "expected an object");
    expect_error(safetensors("{\"__metadata__\":{\"a\":1}}", ""), "", "__metadata__", "a: expected a string");
    EXPECT_EQ(test::Loaded(safetensors("{}", ""), kName).table().entries().size(), 0U);
    EXPECT_EQ(test::Loaded(safetensors("{} \n ", ""), kName).table().entries().size(), 0U) << "padding";
}

TEST(Safetensors, FurtherFieldsAreIgnored) {
    EXPECT_EQ(test::Loaded(one(R"({"note":[{"a":[1,"x",null]}],"x":-1.5,"dtype":"F32","y":{"z":{}},
        "shape":[6],"data_offsets":[0,24]})"),
                           kName)
                  .table()
                  .entries()
                  .size(),
              1U);
}

TEST(Safetensors, ManyNamesAreReadInLinearTime) {
    std::string header = "{";
    for (int i = 0; i < 100'000; ++i) {
        header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
                  R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    }
    EXPECT_EQ(test::Loaded(safetensors(header + "}", ""), kName).table().entries().size(), 100'000U);
}

TEST(Safetensors, TypesWithoutWeightsAreKeptAndRefusedByName) {
    const std::string header = R"({"f8":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]},
        "f4":{"dtype":"F4","shape":[2,3],"data_offsets":[3,6]},
        "i64":{"dtype":"I64","shape":[],"data_offsets":[6,14]}})";
    const test::Loaded loaded(safetensors(header, std::string(14, '\0')), kName);
    const TensorTable& table = loaded.table();
    ASSERT_EQ(table.entries().size(), 3U);
    EXPECT_EQ(table.entries()[1].shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(table.entries()[0].dtype, "float8_e4m3fn");
    for (const auto& [name, dtype, shape] : {std::tuple{"f8", "float8_e4m3fn", std::vector<std::int64_t>{3}},
                                             {"f4", "float4_e2m1fn", {2, 3}},
                                             {"i64", "int64", {}}}) {
        try {
            table.get(name, shape);
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::unsupported);
            EXPECT_EQ(error.what(), kName + ": tensor " + name + ": dtype: " + dtype +
                                        "; weights are float32, float16 or bfloat16");
        }
    }
}

}  // namespace
}  // namespace mm
