#include "core/model/lanes.hpp"

#include <cstdint>

namespace mm {
namespace {

constexpr std::size_t kRun = 128;  // tokens of a run, or of a thread's share of one
constexpr std::uint64_t kLaneLayerBytes = 3u
                                          << 19;  // a layer that a core's own cache holds beside activations
constexpr std::size_t kLaneTokens = 12;           // fewer would leave the kernels' tiles part empty

bool shares_tokens(const Weights& w, const ThreadPool& pool) {
    return pool.threads() > 1 && !w.config.use_moe &&
           (w.bytes() - w.embed_tokens.bytes()) / w.layers.size() <= kLaneLayerBytes;
}

// Two lanes a thread where there are many tokens, since later ones see more keys.
std::size_t lanes_for(const Weights& w, const ThreadPool& pool, std::size_t tokens) {
    const auto team = static_cast<std::size_t>(pool.threads());
    if (!shares_tokens(w, pool) || tokens < team * kLaneTokens) return 1;
    return tokens < 2 * team * kLaneTokens ? team : 2 * team;
}

}  // namespace

std::size_t most_tokens_of_run(const Weights& weights, const ThreadPool& pool) {
    return shares_tokens(weights, pool) ? kRun * static_cast<std::size_t>(pool.threads()) : kRun;
}

Lanes::Lanes(const Weights& weights, KvCache& cache, Workspace::Buffers& buffers, ThreadPool& pool,
             const TokenRun& whole)
    : weights_(weights),
      cache_(cache),
      buffers_(buffers),
      pool_(pool),
      whole_(whole),
      count_(lanes_for(weights, pool, whole.count)) {
    if (buffers.lanes.size() < count_) buffers.lanes.resize(count_);
    for (std::size_t lane = 0; lane < count_; ++lane) plan_run(context(lane));
}

// A thread's two tasks are an early lane and a late one.
std::size_t Lanes::lane_of(std::size_t task) const {
    if (count_ != 2 * static_cast<std::size_t>(pool_.threads())) return task;
    return task % 2 == 0 ? task / 2 : count_ - 1 - task / 2;
}

LayerContext Lanes::context(std::size_t lane) {
    TokenRun run = whole_;
    run.first += begin_of(lane) * run.stride;
    run.count = begin_of(lane + 1) - begin_of(lane);
    return {weights_, cache_, buffers_.lanes[lane], count_ == 1 ? pool_ : alone_, run};
}

}  // namespace mm
