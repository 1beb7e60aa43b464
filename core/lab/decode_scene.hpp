// Steps 1 and 2 as a scene to step through: the same prompt continued greedily in two lanes, with the KV
// cache and without, in lockstep.
//
// Each step tells everything that can be said about it, so that it can be drawn again later; the logits of
// every step are kept, so that its distribution can be looked at without a new forward. Going back forgets.
// The lab's own runs are greedy_pair.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/lab/candidates.hpp"
#include "core/model/model.hpp"

namespace mm {

struct SceneLane {
    TokenId token = 0;
    std::uint64_t fed = 0;  // tokens that entered forward in this step, counted there
    std::uint64_t fed_total = 0;
    std::uint64_t formula_total = 0;  // after n steps: P + (n − 1), or n·P + n(n − 1)/2
    double seconds = 0;
};

struct SceneCache {
    std::uint64_t tokens = 0;
    std::uint64_t bytes_used = 0;  // counted on the buffers
    std::uint64_t bytes_reserved = 0;
    std::uint64_t formula_bytes = 0;       // 2 · layers · tokens · KV heads · head_dim · 4
    std::uint64_t bytes_after_repeat = 0;  // the common mistake: after repeat_kv
    std::array<std::int64_t, 4> k_shape{};
};

struct SceneStep {
    std::int64_t step = 0;  // 1 … new_tokens
    std::string text;       // of the new tokens so far; a character appears when it is whole
    SceneLane with_cache;
    SceneLane without_cache;
    double largest_difference = 0;  // max |difference| of the lanes' last-position logits
    SceneCache cache;
    std::vector<Candidate> top;  // the likeliest, best first; of the lane with the cache
    bool done = false;
};

class DecodeScene {
  public:
    static constexpr std::size_t kTop = 10;

    /// @param model, tokenizer  must outlive the scene
    /// @param prompt            ≥ 1 ids
    /// @param new_tokens        ≥ 1; prompt and new tokens fit the model's positions
    /// @param clock_seconds     monotonic
    /// @throws Error{range}
    DecodeScene(const Model& model, const Tokenizer& tokenizer, std::span<const TokenId> prompt,
                std::int64_t new_tokens, std::function<double()> clock_seconds);
    ~DecodeScene();
    DecodeScene(DecodeScene&&) noexcept;
    DecodeScene& operator=(DecodeScene&&) noexcept;

    /// Both lanes, one step. @throws Error{range} when the last step is made
    SceneStep step();
    /// Forgets every step after `step`. @throws Error{range} for a step not yet made
    void rewind(std::int64_t step);
    std::int64_t steps() const;       // made so far
    std::int64_t new_tokens() const;  // as asked for
    /// Logits [V] after the prompt and the first `step` new tokens: those that choose token step + 1.
    /// Computed when the step after has not been made; the scene stays as it is.
    /// @param step  0 … steps() @throws Error{range}
    std::vector<float> logits(std::int64_t step) const;

    std::uint64_t formula_with_cache(std::int64_t step) const;
    std::uint64_t formula_without_cache(std::int64_t step) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace mm
