// The stored entries of a zip archive, as torch.save writes them: zip64, data descriptors, any alignment.
//
// Finds where a record's bytes lie in the file and copies nothing. It does not decompress or decrypt (such
// records are refused by name when asked for) and does not check CRC-32: neither does torch.load, and files
// saved with `torch.utils.serialization.config.save.compute_crc32 = False` hold none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"

namespace mm {

class Zip {
  public:
    /// Reads the central directory.
    /// @param file the whole file; must outlive the archive.
    /// @throws Error{format} no or a broken central directory, a name given twice; Error{unsupported} an
    ///         archive split over disks.
    explicit Zip(Bytes file);

    /// Record names in the order of the central directory.
    const std::vector<std::string_view>& names() const { return names_; }

    /// The bytes of the record `name`; nothing when there is none.
    /// @throws Error{unsupported} "compressed record", "encrypted record"; Error{format} when the record does
    ///         not lie inside the file. Both name the record as field.
    std::optional<Bytes> record(std::string_view name) const;

  private:
    struct Entry {
        std::string_view name;
        std::uint64_t header = 0;  // offset of the local header
        std::uint64_t size = 0;    // stored
        std::uint64_t unpacked_size = 0;
        std::uint16_t method = 0;
        std::uint16_t flags = 0;
    };

    Entry read_entry(Bytes directory, std::uint64_t& position) const;

    Bytes file_;
    std::vector<std::string_view> names_;
    std::vector<Entry> entries_;  // sorted by name
};

}  // namespace mm
