// What this machine can do at most: multiply-adds in registers and reading memory, with a given team of
// threads.
#pragma once

#include <cstddef>
#include <memory>

#include "core/tensor/thread_pool.hpp"
#include "native/bench/work.hpp"

namespace mm {

/// Floating point operations per second (a multiply-add is two), all threads together.
double measure_multiply_adds(ThreadPool& pool, WorkClock clock);

/// Memory of the size of a model's weights, laid out as they are, to be read as they are.
class ReadProbe {
  public:
    explicit ReadProbe(std::size_t bytes);

    /// Bytes per second, all threads together. @param streams 1 or 4 side by side in each thread
    double measure(ThreadPool& pool, std::size_t streams, WorkClock clock) const;

  private:
    struct Free {
        void operator()(float* memory) const;
    };
    std::size_t floats_;
    std::unique_ptr<float[], Free> memory_;
};

}  // namespace mm
