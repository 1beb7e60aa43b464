// Work in steps: rests, results, nesting, exceptions, dropping it half done.
#include "core/base/steps.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace mm {
namespace {

Steps<int> sum(std::vector<int> values) {
    int total = 0;
    for (const int value : values) {
        if (value < 0) throw std::invalid_argument("negative");
        total += value;
        co_yield kRest;
    }
    co_return total;
}

Steps<std::string> sums(std::vector<std::vector<int>> lists) {
    std::string text;
    for (const auto& list : lists) {
        auto inner = sum(list);
        while (inner.advance()) co_yield kRest;
        text += std::to_string(inner.result()) + " ";
    }
    co_return text;
}

TEST(Steps, RestsBetweenStepsAndGivesTheResultAtTheEnd) {
    Steps<int> steps = sum({1, 2, 3});
    EXPECT_TRUE(steps.advance());
    EXPECT_TRUE(steps.advance());
    EXPECT_TRUE(steps.advance());
    EXPECT_FALSE(steps.advance());
    EXPECT_FALSE(steps.advance());
    EXPECT_EQ(steps.result(), 6);
    EXPECT_EQ(run(sum({1, 2, 3})), 6);
    EXPECT_EQ(run(sum({})), 0);
}

TEST(Steps, Nest) {
    Steps<std::string> steps = sums({{1, 2}, {}, {3}});
    int rests = 0;
    while (steps.advance()) ++rests;
    EXPECT_EQ(rests, 3);
    EXPECT_EQ(steps.result(), "3 0 3 ");
}

TEST(Steps, ExceptionsLeaveAdvanceAndEndTheWork) {
    Steps<std::string> steps = sums({{1}, {2, -1}});
    EXPECT_TRUE(steps.advance());
    EXPECT_TRUE(steps.advance());
    EXPECT_THROW(steps.advance(), std::invalid_argument);
    EXPECT_FALSE(steps.advance());
}

Steps<Done> holds(std::shared_ptr<int> owned) {
    co_yield kRest;
    *owned = 1;
    co_return Done{};
}

TEST(Steps, DroppedHalfDoneLetsGoOfEverything) {
    const auto value = std::make_shared<int>(0);
    {
        Steps<Done> steps = holds(value);
        EXPECT_TRUE(steps.advance());
        Steps<Done> moved = std::move(steps);
        EXPECT_EQ(value.use_count(), 2);
    }
    EXPECT_EQ(value.use_count(), 1);
    EXPECT_EQ(*value, 0);
}

}  // namespace
}  // namespace mm
