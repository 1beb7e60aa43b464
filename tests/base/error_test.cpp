#include "core/base/error.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/base/bytes.hpp"

namespace mm {
namespace {

TEST(Error, LineNamesWhatItIsAbout) {
    const Error error(ErrorKind::shape, "expected [2], found [3]", {"m.pth", "model.norm.weight", "shape"});
    EXPECT_STREQ(error.what(), "m.pth: tensor model.norm.weight: shape: expected [2], found [3]");
    EXPECT_STREQ(Error(ErrorKind::range, "bad").what(), "bad");
    EXPECT_EQ(to_string(error.kind()), "shape");
}

TEST(Error, ContextIsFilledOnlyOnce) {
    const Error error = Error(ErrorKind::format, "bad").with_file("a").with_file("b").with_tensor("t");
    EXPECT_STREQ(error.what(), "a: tensor t: bad");
}

TEST(Error, HostileNamesStayOnOneLine) {
    const Error error(ErrorKind::format, "bad", {.tensor = "a\n\x1b[2J" + std::string(1000, 'x')});
    const std::string line = error.what();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
    EXPECT_LT(line.size(), 400U);
    const Error quoting(ErrorKind::format, "found \r\n" + std::string(5000, 'x'));
    EXPECT_EQ(std::string(quoting.what()).find_first_of("\r\n"), std::string::npos);
    EXPECT_LT(quoting.message().size(), 1100U);
}

TEST(Bytes, LoadsAndSlicesAreChecked) {
    const std::array<std::byte, 5> data{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
    EXPECT_EQ(load_le<std::uint32_t>(data, 1, "x"), 0x05040302U);
    EXPECT_THROW(load_le<std::uint32_t>(data, 2, "x"), Error);
    EXPECT_THROW(load_le<std::uint32_t>(data, ~std::uint64_t{0}, "x"), Error);
    EXPECT_THROW(load_le<std::uint64_t>(data, 0, "x"), Error);
    EXPECT_EQ(slice(data, 5, 0, "x").size(), 0U);
    EXPECT_THROW(slice(data, 2, ~std::uint64_t{0}, "x"), Error);
    EXPECT_THROW(slice(data, 6, 0, "x"), Error);
}

}  // namespace
}  // namespace mm
