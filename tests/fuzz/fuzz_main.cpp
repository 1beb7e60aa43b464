// libFuzzer's entrance to one target (FUZZ_TARGET, set by the build).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    mm::fuzz::FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
    return 0;
}
