#include "native/serve/site_folder.hpp"

#include <unistd.h>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace mm {
namespace {

struct Ending {
    std::string_view ending;
    const char* type;
};

constexpr std::array kEndings{
    Ending{".html", "text/html; charset=utf-8"},
    Ending{".js", "text/javascript; charset=utf-8"},
    Ending{".mjs", "text/javascript; charset=utf-8"},
    Ending{".css", "text/css; charset=utf-8"},
    Ending{".wasm", "application/wasm"},
    Ending{".json", "application/json"},
    Ending{".map", "application/json"},
    Ending{".jsonl", "application/jsonl; charset=utf-8"},
    Ending{".webmanifest", "application/manifest+json"},
    Ending{".svg", "image/svg+xml"},
    Ending{".png", "image/png"},
    Ending{".ico", "image/x-icon"},
    Ending{".woff2", "font/woff2"},
    Ending{".txt", "text/plain; charset=utf-8"},
    Ending{".md", "text/plain; charset=utf-8"},
};

// Where an open file really is. The question is put to the file itself, so nothing can change in between.
std::string real_path(int fd) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size =
        ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target.data(), target.size());
    return size < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(size));
}

}  // namespace

SiteFolder::SiteFolder(const std::string& folder) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(folder.c_str(), nullptr), &std::free);
    if (!real) throw io_error(folder, "cannot be opened", errno);
    path_ = real.get();
    if (!is_folder(path_)) throw_error(ErrorKind::io, "is not a folder", {.file = folder});
    if (!open("index.html")) throw_error(ErrorKind::io, "holds no index.html to serve", {.file = folder});
}

std::optional<SiteFile> SiteFolder::open(const std::string& path) const {
    SiteFile file;
    std::size_t size = 0;
    try {
        file.fd = open_regular(path_ + "/" + path, &size);
    } catch (const Error&) {
        return std::nullopt;  // why is not for whoever asks
    }
    if (!real_path(file.fd.get()).starts_with(path_ == "/" ? path_ : path_ + "/")) return std::nullopt;
    file.size = size;
    file.type = content_type(path);
    return file;
}

const char* content_type(const std::string& path) {
    for (const Ending& known : kEndings) {
        if (path.ends_with(known.ending)) return known.type;
    }
    return "application/octet-stream";
}

}  // namespace mm
