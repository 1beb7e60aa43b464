// Steps 1 and 2: one prompt continued greedily twice, with the KV cache and without; are the tokens the same,
// and how many entered `forward`?
//
// Makes same.json and count.json. Both come from the same two runs. How long the runs take is timing.hpp's
// question.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/steps.hpp"
#include "core/base/token_id.hpp"
#include "core/lab/context.hpp"

namespace mm {

constexpr std::size_t kLabDocuments = 6;                     // joined into the prompt
constexpr std::size_t kLabPromptIds = 200;                   // then bos goes in front
constexpr std::int64_t kLabNewTokens = 64;                   // N
constexpr std::array<bool, 2> kWithAndWithout{true, false};  // use_cache, in the order of the two runs
constexpr TokenId kLabBos = 1;                               // <|im_start|>

struct GreedyPairResult {
    std::int64_t prompt_len = 0;             // P, bos included
    std::int64_t new_tokens = 0;             // N
    std::vector<TokenId> ids_with_cache;     // [N]
    std::vector<TokenId> ids_without_cache;  // [N]
    std::uint64_t fed_with_cache = 0;        // tokens that entered forward, counted there
    std::uint64_t fed_without_cache = 0;

    /// Found, never assumed: every new token of one run equals that of the other.
    bool same_ids() const { return ids_with_cache == ids_without_cache; }
    /// 0-based index of the first new token that differs.
    std::optional<std::size_t> first_difference() const;
    /// P + (N − 1): the whole prompt once, then one token a step.
    std::uint64_t formula_with_cache() const;
    /// N·P + N(N − 1)/2: everything so far, again at every step.
    std::uint64_t formula_without_cache() const;
    /// How many times more tokens enter forward without the cache.
    double token_factor() const;
};

/// The lab's prompt: `text` of the first 6 documents joined by one space, encoded without special tokens, the
/// first 200 ids, bos in front. Fewer documents or ids: what there is.
/// @throws Error{format} when the documents give no id at all.
std::vector<TokenId> lab_prompt(const LabContext& context);

/// Runs both generations, a token a step. Progress is by tokens fed, since the run without cache feeds nearly
/// all of them.
/// @param context  must outlive the work
/// @param prompt   ≥ 1 ids
/// @param step     under which name progress is told
Steps<GreedyPairResult> greedy_pair_in_steps(const LabContext& context, std::vector<TokenId> prompt,
                                             std::string_view step = "same");
GreedyPairResult run_greedy_pair(const LabContext& context, std::span<const TokenId> prompt,
                                 std::string_view step = "same");

/// {"prompt_len": P, "new_tokens": N, "same_ids": …, "ids": [those of the run with cache]}
std::string same_json(const GreedyPairResult& result);
/// {"prompt_len": P, "new_tokens": N, "fed_with_cache": a, "fed_without_cache": b}
std::string count_json(const GreedyPairResult& result);
/// Korean: same or not (loudly), and the two counts beside their formulas.
std::string to_markdown(const GreedyPairResult& result);

}  // namespace mm
