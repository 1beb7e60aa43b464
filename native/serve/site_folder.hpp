// The built page's folder: opens what is in it and nothing that is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "native/files/file.hpp"

namespace mm {

struct SiteFile {
    Descriptor fd;
    std::uint64_t size = 0;
    const char* type = "";  // for Content-Type
};

class SiteFolder {
  public:
    /// @throws Error{io} naming the folder: missing, not a folder, or without an index.html
    explicit SiteFolder(const std::string& folder);

    /// A regular file of the folder. @param path relative, of a RequestVerdict
    /// @return nothing when there is none, when it cannot be read, and when a symbolic link leads out of the
    ///         folder (one that stays inside is followed)
    std::optional<SiteFile> open(const std::string& path) const;

    /// The folder, without symbolic links.
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// "text/html; charset=utf-8" for "a/b.html"; by the ending, which is all that a file system knows.
const char* content_type(const std::string& path);

}  // namespace mm
