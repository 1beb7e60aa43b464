// MiniMind's `generate`: the loop that feeds tokens, draws the next ones and stops.
//
// `Session` is the loop one step at a time (the page steps through it); `generate` runs it to the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/steps.hpp"
#include "core/decode/rng_stream.hpp"
#include "core/decode/sampler.hpp"
#include "core/decode/torch_generator.hpp"
#include "core/model/model.hpp"

namespace mm {

/// Defaults are MiniMind's.
struct GenerateOptions {
    std::int64_t max_new_tokens = 8192;  // ≥ 0
    SamplingOptions sampling;
    std::optional<TokenId> eos_token_id = 2;
    std::int64_t num_return_sequences = 1;  // B ≥ 1
    bool use_cache = true;
    std::uint64_t seed = 0;             // torch.manual_seed(seed)
    std::uint64_t rng_u32_skipped = 0;  // outputs an earlier run has already drawn from that seed
    RngStream rng = RngStream::torch;

    /// Greedy as the lab calls it: do_sample=False, top_k=0, top_p=1.0, eos_token_id=None.
    static GenerateOptions lab_greedy(std::int64_t max_new_tokens, bool use_cache);

    /// @throws Error{range} naming the option in its Hugging Face spelling.
    void validate(std::int64_t vocab_size) const;
};

/// What one step did. Spans are valid until the next step.
struct StepRecord {
    std::int64_t step = 0;            // 1, 2, …
    std::span<const TokenId> tokens;  // [B] the ids appended to each row (eos for finished rows)
    std::span<const float> logits;    // [B, V] last-position logits before temperature (rows may repeat)
    std::uint64_t fed = 0;            // tokens that entered forward in this step, all rows
    std::uint64_t fed_total = 0;
    std::uint64_t cache_bytes = 0;  // held after the step; 0 without cache
    std::uint64_t cache_bytes_reserved = 0;
    bool finished = false;  // every row has met eos, or max_new_tokens is reached
};

struct GenerateResult {
    std::vector<std::vector<TokenId>> rows;  // [B][steps] new ids, finished rows padded with eos
    std::int64_t steps = 0;
    std::uint64_t tokens_fed = 0;           // rows × length summed, as MiniMind counts
    std::uint64_t kv_bytes = 0;             // held at the end, a shared prompt once; 0 without cache
    std::array<std::int64_t, 4> k_shape{};  // of layer 0's K at the end; zeros without cache
    std::uint64_t rng_u32_consumed = 0;     // since the seeding, skipped ones included
};

/// One run of `generate`. With the cache the prompt is computed once for all rows and each later step feeds
/// one token a row; without it every step feeds every row's whole text anew. Rows that have met eos go on
/// being fed and drawn for, as in MiniMind, and are padded with eos.
class Session {
  public:
    /// @param model  must outlive the session
    /// @param prompt ≥ 1 ids; copied.
    /// @throws Error{range} naming the option; ids and positions are checked by the model as they are fed.
    Session(const Model& model, std::span<const TokenId> prompt, const GenerateOptions& options);
    ~Session();
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;

    bool done() const;
    /// One step. From the third one on nothing is allocated but a buffer a row every 16 tokens, and the
    /// model's rotary table where it meets positions never seen before.
    /// @throws Error{internal} when done(); Error{range} past max_position_embeddings or for a bad prompt id.
    const StepRecord& step();
    /// Forgets every step after `step`: the next one computes step + 1 anew. 0 = back to the prompt.
    /// @throws Error{range} for a step not yet made;
    ///         Error{unsupported} unless greedy without an eos: what was drawn cannot be drawn
    ///         again.
    void rewind(std::int64_t step);
    std::span<const KvCache> caches() const;  // one a row, from the first step on; empty without cache
    const TorchGenerator& generator() const;  // its state after the steps so far
    GenerateResult result() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Runs a session to its end, resting after every step. `on_step` (may be empty) sees every step and stops
/// the run by returning false, which throws Error{cancelled}.
/// @param model  must outlive the work
Steps<GenerateResult> generate_in_steps(const Model& model, std::vector<TokenId> prompt,
                                        GenerateOptions options,
                                        std::function<bool(const StepRecord&)> on_step = {});
GenerateResult generate(const Model& model, std::span<const TokenId> prompt, const GenerateOptions& options,
                        const std::function<bool(const StepRecord&)>& on_step = {});

}  // namespace mm
