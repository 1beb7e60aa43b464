// What changes an answer, and what does not: experiments on the cache and the drawing, each compared with the
// run that changes nothing.
//
// All of them run on the reference forward, which equals the fast path to the bit and lets a cache be spoilt.
// Names are those of `mm-native why --experiments`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/steps.hpp"
#include "core/base/token_id.hpp"
#include "core/decode/rng_stream.hpp"
#include "core/reference/forward.hpp"
#include "core/text/tokenizer.hpp"

namespace mm::why {

/// What an experiment changes, and so what a difference would come from.
enum class Kind {
    cache,    // the cache is switched off: the lesson is that nothing changes
    drawing,  // how a token is drawn from the same logits
    bug,      // a mistake that real programs make
    trade,    // what engines give up on purpose, to save memory
};
/// "cache", "drawing", "bug", "trade".
std::string_view to_string(Kind kind);

constexpr std::string_view kLeftOverText = "지우는 학교에서";
constexpr std::int64_t kNewTokens = 24;
constexpr double kTemperature = 1.0;       // of the drawn runs
constexpr double kOtherTemperature = 1.5;  // where the temperature is what changes

/// What the experiments are made on.
struct Subject {
    std::vector<TokenId> prompt;     // ≥ 1 ids
    std::vector<TokenId> left_over;  // another text's ids, ≥ 1: what an uncleared cache still holds
    std::int64_t new_tokens = kNewTokens;
    std::uint64_t seed = 0;  // of the drawn runs; the other seed is one more
    RngStream rng = RngStream::torch;
};

/// One run: tokens, and the logits that chose each.
struct Run {
    std::vector<TokenId> ids;                // [N]
    std::vector<std::vector<float>> logits;  // [N][V], before temperature
    std::uint64_t kv_bytes = 0;              // of the cache at the end, counted on what it held
};

struct Result {
    std::string name;
    Kind kind = Kind::cache;
    bool drawn = false;                            // compared with the drawn control, not with the greedy one
    std::optional<std::int64_t> first_difference;  // the first new token that differs, from 1; empty: none
    double largest_difference = 0;  // of the logits, up to and with those that chose that token;
                                    // infinity where some are not finite
    bool bits_equal = false;        // every token and every logit of the two runs is the same
    std::uint64_t kv_bytes = 0;     // counted at the end of the run; 0 without cache
    std::uint64_t kv_bytes_formula = 0;
    std::uint64_t kv_bytes_control = 0;
    std::vector<TokenId> ids;          // [N] new ids
    std::vector<TokenId> ids_control;  // [N] of the run that changes nothing
};

/// The experiments in the order they are told. `layers` is the model's.
std::vector<std::string> default_experiments(std::int64_t layers);
/// @throws Error{range} for a name that is none
Kind kind_of(const std::string& name, const ModelConfig& config);
/// What an uncleared cache holds: kLeftOverText, with `bos` before it.
std::vector<TokenId> left_over_ids(const Tokenizer& tokenizer, TokenId bos);

/// How a run differs from MiniMind's own.
struct Plan;

class Experiments {
  public:
    /// @param weights  must outlive the experiments
    /// @throws Error{range} naming the field: no ids, an id outside the vocabulary, too long for the model
    Experiments(const reference::Weights& weights, Subject subject);
    Experiments(const Experiments&) = delete;
    Experiments& operator=(const Experiments&) = delete;

    /// Rests after every token; compares with a control run, which is made once.
    /// @param name  one of default_experiments(), or with other numbers: window-W, window-W-pinned-N,
    ///              swapped-layer-L (from 1)
    /// @throws Error{range} for a name that is none, at once
    Steps<Result> in_steps(const std::string& name);

  private:
    Steps<Run> run_in_steps(Plan plan) const;
    Steps<Result> compare_in_steps(std::string name, Plan plan);

    const reference::Weights& weights_;
    Subject subject_;
    std::optional<Run> greedy_;  // controls
    std::optional<Run> drawn_;
};

}  // namespace mm::why
