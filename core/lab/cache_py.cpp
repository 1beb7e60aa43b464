#include "core/lab/cache_py.hpp"

#include <cstddef>

// Written by the build from core/lab/cache.py.
extern const unsigned char kCachePyText[];
extern const std::size_t kCachePyTextSize;

namespace mm {

std::string cache_py() {
    return {reinterpret_cast<const char*>(kCachePyText), kCachePyTextSize};
}

}  // namespace mm
