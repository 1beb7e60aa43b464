// Keys and values of every layer for the tokens seen so far: the object the lab is about.
//
// Holds K after norm and rotation, and V, both before any head repetition, in float32 tiles of 16 positions
// (layout in core/tensor/attention.hpp) that grow without moving. Rows of a batch share the tiles of their
// common prompt. Nothing here computes; `Model::forward` is the only writer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/config.hpp"

namespace mm {

class KvCache {
  public:
    /// @param rows B ≥ 1 rows that all see the same tokens until the first per-row forward.
    explicit KvCache(const ModelConfig& config, std::size_t rows = 1);
    KvCache(KvCache&&) noexcept;
    KvCache& operator=(KvCache&&) noexcept;
    ~KvCache();

    std::size_t rows() const;
    /// Positions held, the same for every row.
    std::size_t length() const;
    /// Bytes of K and V really held for those positions, counted on the buffers; a shared prompt counts once.
    std::uint64_t bytes_used() const;
    /// Bytes allocated, spare capacity included. ≥ bytes_used().
    std::uint64_t bytes_reserved() const;
    /// (batch, length, KV heads, head_dim) of layer 0's K.
    std::array<std::int64_t, 4> k_shape() const;

    /// Allocates for `positions` ahead, so that decoding up to there allocates nothing.
    void reserve(std::size_t positions);
    /// Forgets every position from `length` on; throws Error{range} when length > length().
    void rewind(std::size_t length);
    /// An independent copy.
    KvCache copy() const;

    // --- for Model::forward and kernels ---

    /// Makes room for `count` further positions, for all rows together (`per_row` false, only while the rows
    /// still share everything) or for each row apart, and counts them in length().
    void append(std::size_t count, bool per_row);
    /// True once rows have tiles of their own.
    bool forked() const;
    /// Tile pointers of one row, layer and KV head: ceil(length / 16) of them. K tiles are [K][16], V tiles
    /// [16][K].
    const float* const* k_tiles(std::size_t row, std::size_t layer, std::size_t kv_head) const;
    const float* const* v_tiles(std::size_t row, std::size_t layer, std::size_t kv_head) const;
    /// Writes the key and value [head_dim] of one position.
    void store(std::size_t row, std::size_t layer, std::size_t kv_head, std::size_t position,
               const float* key, const float* value);
    /// Key and value of one position as plain [head_dim] rows, for looking at.
    void load(std::size_t row, std::size_t layer, std::size_t kv_head, std::size_t position, float* key,
              float* value) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace mm
