// What submissions are compared with: the reference model's own results, and the results that the usual
// mistakes would give.
//
// Computed once for any number of submissions. The runs are the lab's steps and MiniMind's generate; judging
// is grade.hpp's business.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/steps.hpp"
#include "core/lab/checks/finding.hpp"
#include "core/lab/context.hpp"
#include "core/lab/kv_bytes.hpp"

namespace mm {

using Triple = std::array<std::int64_t, 3>;  // at 0.3, 1.0, 1.5 or at p = 0.5, 0.9, 0.99

struct GradeReference {
    // Steps 1 and 2
    std::vector<TokenId> prompt;  // bos included
    std::vector<TokenId> ids;     // of the run with the cache
    std::vector<std::pair<Hint, std::vector<TokenId>>> mistaken_ids;

    // Step 4
    KvBytesResult kv_bytes;
    std::int64_t hidden_size = 0;

    // Step 5: one triple a random stream, that of the context first
    std::vector<Triple> distinct;
    std::vector<std::pair<Hint, Triple>> mistaken_distinct;

    // Step 6
    Triple survivors{};
    Triple fewest{};  // what rounding may make of a cumulative probability that is as good as p …
    Triple most{};    // … and the other way
    std::vector<std::pair<Hint, Triple>> mistaken_survivors;

    std::int64_t prompt_len() const { return static_cast<std::int64_t>(prompt.size()); }
    std::int64_t new_tokens() const { return static_cast<std::int64_t>(ids.size()); }
};

/// Runs everything, a token a step. Progress is told as the step "reference".
/// @param context must outlive the work: both models, both tokenizers and the documents; no clock is needed
/// @throws Error what the lab's steps throw; Error{cancelled}
Steps<GradeReference> reference_in_steps(const LabContext& context);
GradeReference compute_reference(const LabContext& context);

}  // namespace mm
