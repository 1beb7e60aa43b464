#include "native/version.hpp"

#include <mm_commit.hpp>  // written by cmake/write_commit.cmake
#include "core/tensor/instruction_set.hpp"

namespace mm {

std::string version() {
    return MM_VERSION;
}

std::string version_line() {
    return version() + ", commit " + MM_COMMIT + ", kernels " + std::string(to_string(instruction_set()));
}

}  // namespace mm
