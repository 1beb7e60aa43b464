#include "native/bench/limits.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "core/tensor/limits.hpp"

namespace mm {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kPart = 64 << 10;  // floats a task reads: long enough for its streams to get going
constexpr double kLeastSeconds = 0.004;

std::size_t rounded_up(std::size_t bytes) {
    return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

double measure_multiply_adds(ThreadPool& pool, WorkClock clock) {
    constexpr std::size_t kRounds = 20000;
    constexpr std::size_t kTasks = 4;  // a thread: one that is held up leaves its rest to the others
    std::atomic<std::size_t> done{0};
    const double start = clock();
    double seconds = 0;
    do {
        pool.run(kTasks * static_cast<std::size_t>(pool.threads()), 1,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) done += multiply_adds(kRounds);
                 });
        seconds = clock() - start;
    } while (seconds < kLeastSeconds);
    return 2 * static_cast<double>(done) / seconds;
}

ReadProbe::ReadProbe(std::size_t bytes)
    : floats_(std::max(bytes / sizeof(float), std::size_t{4096})),
      memory_(static_cast<float*>(std::aligned_alloc(kHugePage, rounded_up(floats_ * sizeof(float))))) {
    if (!memory_) throw std::bad_alloc();
    ::madvise(memory_.get(), rounded_up(floats_ * sizeof(float)), MADV_HUGEPAGE);
    std::fill_n(memory_.get(), floats_, 1.0f);
}

void ReadProbe::Free::operator()(float* memory) const {
    std::free(memory);
}

double ReadProbe::measure(ThreadPool& pool, std::size_t streams, WorkClock clock) const {
    const std::size_t parts = std::max<std::size_t>(1, floats_ / kPart);
    std::atomic<float> total{0};
    std::size_t times = 0;
    const double start = clock();
    double seconds = 0;
    do {
        pool.run(parts, 1, [&](std::size_t begin, std::size_t end) {
            // Streams of the whole range, as a thread reads its share of a matrix.
            const std::size_t from = begin * floats_ / parts / 16 * 16;
            const std::size_t to = end * floats_ / parts / 16 * 16;
            total.store(read_memory(memory_.get() + from, to - from, streams), std::memory_order_relaxed);
        });
        ++times;
        seconds = clock() - start;
    } while (seconds < kLeastSeconds);
    return static_cast<double>(times) * static_cast<double>(floats_) * sizeof(float) / seconds;
}

}  // namespace mm
