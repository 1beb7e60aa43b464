// A small fixed team of threads that split a loop. The only place in the core that knows threads exist.
//
// Splitting never changes a result: a task is an output range or a head, never part of a reduction. In builds
// without threads (wasm by default) and for one thread, `run` is a plain call. Workers wait awake for some
// tens of microseconds after a job, then sleep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace mm {

/// Into how many tasks so much work is worth splitting: `most` for ThreadPool::run. 1: not at all.
std::size_t tasks_worth(std::size_t multiply_adds);

class ThreadPool {
  public:
    /// @param threads 1 … 256, counts the calling thread. Fewer are used where the system grants fewer.
    /// @throws Error{range}
    explicit ThreadPool(int threads = 1);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const;

    /// Calls `task(begin, end)`, or `task(begin, end, thread)` with thread < threads(), on disjoint ranges
    /// that cover [0, count), each of them a multiple of `grain` long except the last; returns when all are
    /// done. Ranges are as equal as `grain` allows. A loop of one range runs on the calling thread alone. Not
    /// reentrant, and one caller at a time; an exception in a task is a bug (kernels do not throw).
    /// @param most  ranges the whole is worth; fewer where it is little work
    template <typename Task>
    void run(std::size_t count, std::size_t grain, Task&& task, std::size_t most = SIZE_MAX) {
        auto call = [](void* context, std::size_t begin, std::size_t end, std::size_t thread) {
            auto& known = *static_cast<std::remove_reference_t<Task>*>(context);
            if constexpr (std::is_invocable_v<decltype(known), std::size_t, std::size_t, std::size_t>) {
                known(begin, end, thread);
            } else {
                known(begin, end);
            }
        };
        run_erased(count, grain, most, call, const_cast<void*>(static_cast<const void*>(&task)));
    }

  private:
    using Call = void (*)(void*, std::size_t begin, std::size_t end, std::size_t thread);
    void run_erased(std::size_t count, std::size_t grain, std::size_t most, Call call, void* context);

    struct Team;
    std::unique_ptr<Team> team_;  // null for one thread
};

}  // namespace mm
