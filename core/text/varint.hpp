// Reads the variable-length numbers of the generated Unicode tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mm {

class VarintReader {
  public:
    explicit VarintReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    bool done() const { return position_ == bytes_.size(); }
    std::uint8_t byte() { return bytes_[position_++]; }
    std::uint32_t number() {
        std::uint32_t value = 0;
        for (int shift = 0;; shift += 7) {
            const std::uint32_t next = byte();
            value |= (next & 0x7F) << shift;
            if (next < 0x80) return value;
        }
    }
    /// 0, −1, 1, −2, … are written as 0, 1, 2, 3, …
    std::int32_t signed_number() {
        const std::uint32_t value = number();
        return static_cast<std::int32_t>(value >> 1) ^ -static_cast<std::int32_t>(value & 1);
    }

  private:
    std::span<const std::uint8_t> bytes_;
    std::size_t position_ = 0;
};

}  // namespace mm
