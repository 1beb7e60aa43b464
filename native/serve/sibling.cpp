#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "native/files/file.hpp"
#include "native/serve/serve.hpp"

namespace mm {
namespace {

std::filesystem::path program_folder() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

std::string built_page_folder() {
    return (program_folder().parent_path() / "web" / "site").string();
}

void become_sibling(const std::string& name, const char* const* argv) {
    const std::string file = (program_folder() / name).string();
    ::execv(file.c_str(), const_cast<char* const*>(argv));
    const Error why = io_error(file, "cannot be started", errno);
    throw Error(why.kind(), why.message(), {.file = file},
                "it is built beside mm-native; serve needs it there");
}

}  // namespace mm
