// Step 4's part of the reference.
#pragma once

#include <cstdint>

#include "core/lab/kv_bytes.hpp"

namespace mm {

struct KvBytesReference {
    KvBytesResult kv_bytes;
    std::int64_t hidden_size = 0;
};

}  // namespace mm
