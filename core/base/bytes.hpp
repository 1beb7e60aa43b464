// Byte spans and checked little-endian loads. The only way file bytes become numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "core/base/error.hpp"

namespace mm {

using Bytes = std::span<const std::byte>;

/// The bytes of a text, unchanged.
inline Bytes as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// The bytes as text, unchanged; not checked for UTF-8.
inline std::string_view as_text(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Loads a little-endian integer at `offset`; throws Error{format} naming `what` when it does not fit.
/// Every target of the project is little-endian (x86-64, arm64, wasm32), so the bytes are copied as they are.
template <typename T>
T load_le(Bytes bytes, std::uint64_t offset, std::string_view what) {
    static_assert(std::is_integral_v<T>);
    if (bytes.size() < sizeof(T) || offset > bytes.size() - sizeof(T)) {
        throw_error(ErrorKind::format, "the file ends before this field", {.field = what});
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

/// `bytes[offset, offset + size)`; throws Error{format} naming `what` when it is not inside.
inline Bytes slice(Bytes bytes, std::uint64_t offset, std::uint64_t size, std::string_view what) {
    if (offset > bytes.size() || size > bytes.size() - offset) {
        throw_error(ErrorKind::format, "reaches past the end of the file", {.field = what});
    }
    return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

}  // namespace mm
