#include "core/tensor/thread_pool.hpp"

namespace mm {

struct ThreadPool::Team {
    int threads;
};

ThreadPool::ThreadPool(int threads) : team_(new Team{threads}) {}
ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const {
    return team_->threads;
}

void ThreadPool::run_erased(std::size_t count, std::size_t, Call call, void* context) {
    if (count > 0) call(context, 0, count);
}

}  // namespace mm
