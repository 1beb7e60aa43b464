// What a tokenizer file may make of one text. Steps may be stacked in a file so that each doubles what the
// one before gave, or searches it again and again: a few bytes would become all memory or all time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/error.hpp"

namespace mm {

/// One for each text that is encoded; every stage draws on it.
struct TextLimits {
    explicit TextLimits(std::size_t text_bytes)
        : normalized(most_bytes(text_bytes)),
          pieces(normalized),
          ids(normalized),
          regex_steps(20'000'000 + 500 * std::uint64_t{text_bytes}) {}

    std::size_t normalized;     // bytes that normalizing may still give
    std::size_t pieces;         // bytes that pre-tokenizing may still give
    std::size_t ids;            // how many there may be
    std::uint64_t regex_steps;  // of all regular expressions together

    /// @throws Error{tokenizer} when `size` is more than `left`
    static void check(std::size_t size, std::size_t left) {
        if (size > left) {
            throw_error(ErrorKind::tokenizer, "the text becomes too large in this tokenizer");
        }
    }
    static void take(std::size_t size, std::size_t& left) {
        check(size, left);
        left -= size;
    }

    /// Bytes that so many ids may stand for: tokens of real files are shorter than a kilobyte.
    static constexpr std::size_t most_decoded(std::size_t ids) { return (std::size_t{64} + ids) << 10; }

    /// Of real files, compatibility forms make the most: eleven times as much of a letter (U+FDFA), and the
    /// byte alphabet doubles that.
    static constexpr std::size_t most_bytes(std::size_t text_bytes) {
        constexpr std::size_t kAlways = std::size_t{64} << 10;
        constexpr std::size_t kMost = std::size_t{256} << 20;
        constexpr std::size_t kTimes = 32;
        return text_bytes + std::min(kMost, kAlways + kTimes * std::min(text_bytes, kMost));
    }
};

}  // namespace mm
