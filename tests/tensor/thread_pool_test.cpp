// The pool's promise: disjoint ranges that cover everything, in any number of threads, again and again.
#include "core/tensor/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "core/base/error.hpp"

namespace {

// Allocations of this thread that still succeed; all do when negative.
thread_local int allocations_left = -1;

}  // namespace

// Not inlined: GCC would see one of a pair alone, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (allocations_left == 0) throw std::bad_alloc();
    if (allocations_left > 0) --allocations_left;
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace mm {
namespace {

TEST(ThreadPool, MemoryThatRunsOutWhileThreadsStartLeavesNoneBehind) {
    int made = 0, refused = 0;
    for (int allocations = 0; allocations < 24; ++allocations) {
        std::unique_ptr<ThreadPool> pool;
        allocations_left = allocations;
        try {
            pool = std::make_unique<ThreadPool>(8);
        } catch (const std::bad_alloc&) {
        }
        allocations_left = -1;
        ++(pool ? made : refused);
        if (!pool) continue;
        std::atomic<int> visited{0};
        pool->run(100, 1, [&](std::size_t begin, std::size_t end) { visited += int(end - begin); });
        EXPECT_EQ(visited, 100) << pool->threads() << " threads";
    }
    EXPECT_GT(made, 0);
    EXPECT_GT(refused, 0);
}

TEST(ThreadPool, CoversEveryIndexOnceInWholeGrains) {
    for (const int threads : {1, 2, 3, 5}) {
        ThreadPool pool(threads);
        for (const std::size_t count : {0u, 1u, 2u, 7u, 16u, 100u, 1001u}) {
            for (const std::size_t grain : {1u, 3u, 16u, 2000u}) {
                std::vector<std::atomic<int>> visits(count);
                pool.run(count, grain, [&](std::size_t begin, std::size_t end) {
                    EXPECT_LT(begin, end);
                    EXPECT_EQ(begin % grain, 0u);
                    EXPECT_TRUE(end == count || end % grain == 0);
                    for (std::size_t i = begin; i < end; ++i) ++visits[i];
                });
                for (const auto& visit : visits) ASSERT_EQ(visit, 1);
            }
        }
    }
}

TEST(ThreadPool, WhatTasksWriteIsSeenAfterwardsAndByTheNextJob) {
    ThreadPool pool(3);
    std::vector<int> data(97);
    for (int round = 1; round <= 20000; ++round) {
        pool.run(data.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) data[i] += 1;
        });
        ASSERT_EQ(data[static_cast<std::size_t>(round) % data.size()], round);
    }
}

TEST(ThreadPool, OneGrainStaysOnTheCaller) {
    ThreadPool pool(4);
    std::thread::id seen;
    pool.run(10, 10, [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin, 0u);
        EXPECT_EQ(end, 10u);
        seen = std::this_thread::get_id();
    });
    EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST(ThreadPool, SplitsIntoNoMoreThanItIsWorth) {
    ThreadPool pool(3);
    for (const std::size_t most : {1u, 2u, 3u, 5u, 100u}) {
        std::atomic<std::size_t> ranges{0}, covered{0};
        const auto task = [&](std::size_t begin, std::size_t end) {
            ++ranges;
            covered += end - begin;
        };
        pool.run(1000, 4, task, most);
        EXPECT_LE(ranges, most);
        EXPECT_EQ(covered, 1000u);
    }
}

TEST(ThreadPool, RefusesImpossibleNumbers) {
    EXPECT_THROW(ThreadPool(0), Error);
    EXPECT_THROW(ThreadPool(-1), Error);
    EXPECT_THROW(ThreadPool(100000), Error);
}

#if !defined(__EMSCRIPTEN__)
TEST(ThreadPool, TakesWorkFromAThreadThatIsHeldUp) {
    ThreadPool pool(2);
    ASSERT_EQ(pool.threads(), 2);
    std::atomic<int> finished{0};
    pool.run(8, 1, [&](std::size_t begin, std::size_t) {
        // The first chunk waits until all others are done, which the second thread must do alone.
        if (begin == 0) {
            while (finished != 7) std::this_thread::yield();
        }
        ++finished;
    });
    EXPECT_EQ(finished, 8);
}

TEST(ThreadPool, SleepsWhenThereIsNothingToDo) {
    ThreadPool pool(4);
    pool.run(100, 1, [](std::size_t, std::size_t) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::clock_t before = std::clock();  // processor time of all threads
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    EXPECT_LT(busy, 0.1);
    int ran = 0;
    pool.run(1, 1, [&](std::size_t, std::size_t) { ++ran; });
    EXPECT_EQ(ran, 1);
}
#endif

}  // namespace
}  // namespace mm
