// How the tokens of a run are shared among threads.
//
// By default a run is one lane: its products are split by outputs, and all threads meet after each. Where a
// layer's weights fit into each core's own cache and there are tokens enough, threads share the run by tokens
// instead: each takes its own tokens (a lane) through a whole layer, and all meet once a layer, because a
// token needs the others only for their keys and values. Bits do not depend on it. Between Model::forward,
// which says what a layer is, and ThreadPool.
#pragma once

#include <cstddef>

#include "core/model/layers.hpp"
#include "core/model/weights.hpp"
#include "core/model/workspace.hpp"
#include "core/tensor/thread_pool.hpp"

namespace mm {

/// Most tokens that may pass through the layers together: bounds the scratch memory of a long prompt.
std::size_t most_tokens_of_run(const Weights& weights, const ThreadPool& pool);

/// One run of tokens, on its way through the layers.
class Lanes {
  public:
    /// Takes the memory that the run needs (plan_run()).
    /// @param whole  the run in everybody's terms; its pool is the one that is shared
    Lanes(const Weights& weights, KvCache& cache, Workspace::Buffers& buffers, ThreadPool& pool,
          const TokenRun& whole);

    /// Calls step(context, first token of the lane in the run) for every lane; returns when all are done.
    template <typename Step>
    void each(Step&& step) {
        const auto tasks = [&](std::size_t begin, std::size_t end) {
            for (std::size_t task = begin; task < end; ++task) {
                const std::size_t lane = lane_of(task);
                step(context(lane), begin_of(lane));
            }
        };
        if (count_ == 1) return tasks(0, 1);
        pool_.run(count_, 1, tasks);
    }

  private:
    std::size_t begin_of(std::size_t lane) const { return lane * whole_.count / count_; }
    std::size_t lane_of(std::size_t task) const;
    LayerContext context(std::size_t lane);

    const Weights& weights_;
    KvCache& cache_;
    Workspace::Buffers& buffers_;
    ThreadPool& pool_;
    ThreadPool alone_{1};  // of a lane among several
    TokenRun whole_;
    std::size_t count_;
};

}  // namespace mm
