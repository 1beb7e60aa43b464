// Files that people take for checkpoints: named, so that they know what they have got.
#include <algorithm>
#include <string_view>

#include "core/base/join.hpp"
#include "core/checkpoint/readers.hpp"

namespace mm {
namespace {

using namespace std::string_view_literals;

struct Signature {
    std::size_t offset;
    std::string_view bytes;
    const char* kind;
};

constexpr Signature kSignatures[] = {
    {0, "\x1f\x8b"sv, "a gzip archive; unpack it first"},
    {0, "BZh"sv, "a bzip2 archive; unpack it first"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "an xz archive; unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "a Zstandard archive; unpack it first"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive; unpack it first"},
    {0, "Rar!"sv, "a RAR archive; unpack it first"},
    {257, "ustar"sv, "a tar archive; unpack it first"},
    {0, "GGUF"sv, "a GGUF file (llama.cpp), not a PyTorch checkpoint"},
    {0, "\x89HDF\r\n"sv, "an HDF5 file (Keras), not a PyTorch checkpoint"},
    {0, "\x93NUMPY"sv, "a NumPy array, not a PyTorch checkpoint"},
    {0, "%PDF"sv, "a PDF document, not a checkpoint"},
    {0, "PK\x05\x06"sv, "an empty zip archive"},
};

std::string_view without_space(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

bool begins_with_tag(std::string_view text, std::string_view tag) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return text.size() >= tag.size() &&
           std::equal(tag.begin(), tag.end(), text.begin(), [&](char a, char b) { return a == lower(b); });
}

[[noreturn]] void refuse(const char* kind, const char* hint = "") {
    throw_error(ErrorKind::format, join({"this is ", kind}), {}, hint);
}

}  // namespace

void refuse_other_kinds(Bytes bytes) {
    const std::string_view all = as_text(bytes);
    if (all.empty()) throw_error(ErrorKind::format, "the file is empty");
    const std::string_view text = all.substr(0, 1024);
    for (const Signature& signature : kSignatures) {
        if (text.size() >= signature.offset && text.substr(signature.offset).starts_with(signature.bytes)) {
            refuse(signature.kind);
        }
    }
    if (text.starts_with("version ") && text.substr(0, 100).find("git-lfs") != std::string_view::npos) {
        refuse("a Git LFS pointer, not the file itself", "fetch the file with: git lfs pull");
    }
    const std::string_view start = without_space(text);
    for (const std::string_view tag : {"<!doctype"sv, "<html"sv, "<head"sv, "<?xml"sv}) {
        if (begins_with_tag(start, tag))
            refuse("a web page, not a checkpoint", "the download was not of the file");
    }
    if (start.starts_with("{\"") || start.starts_with("{\n") || start.starts_with("{\r") ||
        start.starts_with("{ ")) {
        refuse("JSON text, not a checkpoint");
    }
}

}  // namespace mm
