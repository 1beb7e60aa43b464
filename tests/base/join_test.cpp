// Texts from parts: what a chain of + and std::to_string gives.
#include "core/base/join.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace mm {
namespace {

TEST(Join, PutsPartsOneAfterAnother) {
    const std::string owned = "merge";
    const std::string_view view = std::string_view("of many").substr(0, 2);
    EXPECT_EQ(join({owned, " ", 3, ' ', view, " 캐시"}), "merge 3 of 캐시");
    EXPECT_EQ(join({}), "");
    EXPECT_EQ(join({"", std::string(), std::string_view()}), "");
    EXPECT_EQ(join({std::string_view("a\0b", 3)}).size(), 3u);
}

TEST(Join, WritesEveryWholeNumberAsToStringDoes) {
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(join({kLeast, " ", kMost}), std::to_string(kLeast) + " " + std::to_string(kMost));
    EXPECT_EQ(join({-1, 0, 1u, std::uint8_t{255}, std::int16_t{-7}}), "-101255-7");
    EXPECT_EQ(join({std::size_t{4096}, "L"}), "4096L");
}

}  // namespace
}  // namespace mm
