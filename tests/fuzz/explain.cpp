#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {

bool reads_or_explains(const std::string& file, const std::function<void()>& read) {
    try {
        read();
        return true;
    } catch (const Error& error) {
        const std::string line = error.what();
        require(error.kind() != ErrorKind::internal, "blames us: " + line);
        require(!error.message().empty(), "says nothing");
        require(line.find_first_of("\r\n") == line.npos, "more than one line: " + line);
        require(file.empty() || error.context().file == file, "names no file: " + line);
    }
    return false;
}

}  // namespace mm::fuzz
