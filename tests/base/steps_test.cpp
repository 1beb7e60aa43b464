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
        const int total = co_await sum(list);
        text += std::to_string(total) + " ";
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

Steps<int> sum_or(int otherwise, std::vector<int> values) {
    try {
        co_return co_await sum(std::move(values));
    } catch (const std::invalid_argument&) {
        co_return otherwise;
    }
}

TEST(Steps, WhoAwaitsMayCatchWhatTheAwaitedWorkThrows) {
    EXPECT_EQ(run(sum_or(7, {1, -1})), 7);
    EXPECT_EQ(run(sum_or(7, {1, 2})), 3);
}

// As deep as a recursion, and each level rests for those above it.
Steps<int> depth(int levels) {
    if (levels == 0) {
        co_yield kRest;
        co_return 0;
    }
    const int inner = co_await depth(levels - 1);
    co_return inner + 1;
}

TEST(Steps, AwaitManyLevelsDeep) {
    Steps<int> steps = depth(200);
    EXPECT_TRUE(steps.advance());
    EXPECT_FALSE(steps.advance());
    EXPECT_EQ(steps.result(), 200);
}

Steps<Done> holds(std::shared_ptr<int> owned) {
    co_yield kRest;
    *owned = 1;
    co_return Done{};
}

Steps<Done> awaits(std::shared_ptr<int> owned) {
    co_await holds(std::move(owned));
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
    {
        Steps<Done> outer = awaits(value);
        EXPECT_TRUE(outer.advance());
        EXPECT_GT(value.use_count(), 1);
    }
    EXPECT_EQ(value.use_count(), 1);
    EXPECT_EQ(*value, 0);
}

}  // namespace
}  // namespace mm
