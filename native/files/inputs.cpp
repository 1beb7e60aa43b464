#include "native/files/inputs.hpp"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <utility>

#include "core/base/error.hpp"

namespace mm {
namespace {

std::mutex g_mutex;
std::map<std::pair<dev_t, ino_t>, std::string>& inputs() {
    static std::map<std::pair<dev_t, ino_t>, std::string> list;
    return list;
}

}  // namespace

void remember_input(int fd, const std::string& file) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return;
    const std::scoped_lock lock(g_mutex);
    inputs().emplace(std::pair(status.st_dev, status.st_ino), file);
}

void refuse_to_replace_input(const std::string& file, const std::string& option) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return;
    const std::scoped_lock lock(g_mutex);
    const auto input = inputs().find({status.st_dev, status.st_ino});
    if (input == inputs().end()) return;
    throw_error(ErrorKind::range, file + " would replace " + input->second + ", which this command reads",
                {.field = option});
}

}  // namespace mm
