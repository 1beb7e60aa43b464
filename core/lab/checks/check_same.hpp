// Step 1's part of the reference, which steps 2 and 3 are judged by too.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/token_id.hpp"
#include "core/lab/checks/hint.hpp"
#include "core/model/model.hpp"

namespace mm {

struct SameReference {
    std::vector<TokenId> prompt;  // bos included
    std::vector<TokenId> ids;     // of the run with the cache
    std::vector<std::pair<Hint, std::vector<TokenId>>> mistaken_ids;

    std::int64_t prompt_len() const { return static_cast<std::int64_t>(prompt.size()); }
    std::int64_t new_tokens() const { return static_cast<std::int64_t>(ids.size()); }
};

}  // namespace mm
