#include "core/base/later.hpp"

#ifdef __EMSCRIPTEN__

namespace mm {
namespace {

const void* same(const void* data) {
    return data;
}

}  // namespace

const void* (*volatile late_address)(const void*) = same;

}  // namespace mm

#endif
