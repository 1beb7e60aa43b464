#include "core/checkpoint/zip.hpp"

#include <algorithm>

#include "core/base/heap_sort.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

// PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.5.3.
constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kEndOfDirectory = 0x06054b50;
constexpr std::uint32_t kEndOfDirectory64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kLocatorSize = 20;
constexpr std::uint64_t kEntrySize = 46;
constexpr std::uint64_t kLocalSize = 30;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // "see the zip64 field"
constexpr std::uint64_t kMaxRecords = 1'000'000;

constexpr std::string_view kDirectory = "zip central directory";

[[noreturn]] void fail(std::string_view message) {
    throw_error(ErrorKind::format, message, {.field = kDirectory});
}

struct Directory {
    std::uint64_t records = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// The end record is the last thing in the file but for a comment of up to 65535 bytes, which may itself look
// like one. Readers also accept bytes behind it, so without an exact fit the last candidate counts.
std::uint64_t find_end(Bytes file) {
    if (file.size() < kEndSize) fail("missing; the file is cut off or not a zip archive");
    const std::uint64_t last = file.size() - kEndSize;
    const std::uint64_t first = last > 0xFFFF ? last - 0xFFFF : 0;
    std::optional<std::uint64_t> inexact;
    for (std::uint64_t at = last + 1; at-- > first;) {
        if (load_le<std::uint32_t>(file, at, kDirectory) != kEndOfDirectory) continue;
        const std::uint64_t end = at + kEndSize + load_le<std::uint16_t>(file, at + 20, kDirectory);
        if (end == file.size()) return at;
        if (end < file.size() && !inexact) inexact = at;
    }
    if (!inexact) fail("missing; the file is cut off (an incomplete download?)");
    return *inexact;
}

Directory find_directory(Bytes file) {
    const std::uint64_t end = find_end(file);
    const auto disk = load_le<std::uint16_t>(file, end + 4, kDirectory);
    Directory directory{load_le<std::uint16_t>(file, end + 10, kDirectory),
                        load_le<std::uint32_t>(file, end + 16, kDirectory),
                        load_le<std::uint32_t>(file, end + 12, kDirectory)};
    // torch and Python write the zip64 end record as soon as one field needs it; it then holds them all.
    if (end >= kLocatorSize && load_le<std::uint32_t>(file, end - kLocatorSize, kDirectory) == kLocator64) {
        const auto end64 = load_le<std::uint64_t>(file, end - kLocatorSize + 8, kDirectory);
        if (load_le<std::uint32_t>(file, end64, kDirectory) != kEndOfDirectory64) {
            fail("the zip64 end record is not where its locator points");
        }
        directory.records = load_le<std::uint64_t>(file, end64 + 32, kDirectory);
        directory.size = load_le<std::uint64_t>(file, end64 + 40, kDirectory);
        directory.offset = load_le<std::uint64_t>(file, end64 + 48, kDirectory);
    } else if (disk != 0) {
        throw_error(ErrorKind::unsupported, "the archive is split over several files", {.field = kDirectory});
    }
    return directory;
}

// Extra field 1 holds, in this order, those of the three values whose 32-bit field is full.
void read_zip64_extra(Bytes extra, std::uint64_t& unpacked, std::uint64_t& packed, std::uint64_t& header) {
    std::uint64_t at = 0;
    while (at + 4 <= extra.size()) {
        const auto id = load_le<std::uint16_t>(extra, at, kDirectory);
        const auto size = load_le<std::uint16_t>(extra, at + 2, kDirectory);
        const Bytes field = slice(extra, at + 4, size, kDirectory);
        at += 4 + std::uint64_t{size};
        if (id != 1) continue;
        std::uint64_t inside = 0;
        for (std::uint64_t* value : {&unpacked, &packed, &header}) {
            if (*value != kIn64) continue;
            *value = load_le<std::uint64_t>(field, inside, kDirectory);
            inside += 8;
        }
        return;
    }
}

}  // namespace

Zip::Zip(Bytes file) : file_(file) {
    const Directory found = find_directory(file);
    const Bytes directory = slice(file, found.offset, found.size, kDirectory);
    if (found.records > directory.size() / kEntrySize) fail("claims more records than it has room for");
    if (found.records > kMaxRecords) fail("has more than a million records");
    entries_.reserve(static_cast<std::size_t>(found.records));
    names_.reserve(static_cast<std::size_t>(found.records));
    std::uint64_t position = 0;
    for (std::uint64_t i = 0; i < found.records; ++i) {
        entries_.push_back(read_entry(directory, position));
        names_.push_back(entries_.back().name);
    }
    heap_sort(entries_, [](const Entry& a, const Entry& b) { return a.name < b.name; });
    const auto twice = std::adjacent_find(entries_.begin(), entries_.end(),
                                          [](const Entry& a, const Entry& b) { return a.name == b.name; });
    if (twice != entries_.end()) {
        throw_error(ErrorKind::format, "two zip records have this name",
                    {.field = join({"record ", twice->name})});
    }
}

Zip::Entry Zip::read_entry(Bytes directory, std::uint64_t& position) const {
    const std::uint64_t at = position;
    if (load_le<std::uint32_t>(directory, at, kDirectory) != kDirectoryEntry)
        fail("an entry has no signature");
    Entry entry;
    entry.flags = load_le<std::uint16_t>(directory, at + 8, kDirectory);
    entry.method = load_le<std::uint16_t>(directory, at + 10, kDirectory);
    entry.size = load_le<std::uint32_t>(directory, at + 20, kDirectory);
    entry.unpacked_size = load_le<std::uint32_t>(directory, at + 24, kDirectory);
    entry.header = load_le<std::uint32_t>(directory, at + 42, kDirectory);
    const auto name_size = load_le<std::uint16_t>(directory, at + 28, kDirectory);
    const auto extra_size = load_le<std::uint16_t>(directory, at + 30, kDirectory);
    const auto comment_size = load_le<std::uint16_t>(directory, at + 32, kDirectory);
    entry.name = as_text(slice(directory, at + kEntrySize, name_size, kDirectory));
    const Bytes extra = slice(directory, at + kEntrySize + name_size, extra_size, kDirectory);
    read_zip64_extra(extra, entry.unpacked_size, entry.size, entry.header);
    position = at + kEntrySize + name_size + extra_size + comment_size;
    return entry;
}

std::optional<Bytes> Zip::record(std::string_view name) const {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), name,
                         [](const Entry& entry, std::string_view n) { return entry.name < n; });
    if (found == entries_.end() || found->name != name) return std::nullopt;
    const std::string field = join({"record ", name});
    if ((found->flags & 1U) != 0) throw_error(ErrorKind::unsupported, "encrypted record", {.field = field});
    if (found->method != 0) {
        throw_error(ErrorKind::unsupported, "compressed record", {.field = field},
                    "torch.save never compresses; unpack the archive and pack it again with zip -0");
    }
    if (found->size != found->unpacked_size) {
        throw_error(ErrorKind::format, "a stored record with two different sizes", {.field = field});
    }
    // Only the central directory has the sizes for sure (a streamed record's follow its data), but only the
    // local header tells how long itself is: its extra field pads the data to an alignment.
    if (load_le<std::uint32_t>(file_, found->header, field) != kLocalHeader) {
        throw_error(ErrorKind::format, "no local header where the central directory points",
                    {.field = field});
    }
    const auto name_size = load_le<std::uint16_t>(file_, found->header + 26, field);
    const auto extra_size = load_le<std::uint16_t>(file_, found->header + 28, field);
    return slice(file_, found->header + kLocalSize + name_size + extra_size, found->size, field);
}

}  // namespace mm
