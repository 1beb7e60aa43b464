// Keys and values of every layer for the tokens seen so far: the object the lab is about.
//
// Holds K after norm and rotation, and V, both before any head repetition, in float32 tiles of 16 positions
// (layout in core/tensor/attention.hpp) that grow without moving. A buffer holds 16 positions of every layer
// and KV head; rows of a batch share the buffers of their common prompt. Memory is taken as tokens come.
// Nothing here computes; `Model::forward` is the only writer.
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
    /// @throws Error{range} when rows is 0 or a dimension of `config` is not positive.
    explicit KvCache(const ModelConfig& config, std::size_t rows = 1);
    KvCache(KvCache&&) noexcept;
    KvCache& operator=(KvCache&&) noexcept;
    ~KvCache();

    std::size_t rows() const;
    std::size_t layers() const;  // L
    /// Positions held, the same for every row.
    std::size_t length() const;
    /// Bytes of K and V really held: every buffer knows which of its positions were stored, and these are
    /// counted, each buffer once however many rows share it.
    std::uint64_t bytes_used() const;
    /// Bytes of all buffers, spare capacity included. ≥ bytes_used().
    std::uint64_t bytes_reserved() const;
    /// (batch, length, KV heads, head_dim) of layer 0's K.
    std::array<std::int64_t, 4> k_shape() const;

    /// Allocates for `count` positions after length(), so that appending up to there allocates nothing.
    /// @param per_row  as the appends will say; the fork itself is provided for.
    void reserve(std::size_t count, bool per_row = false);
    /// Forgets every position from `length` on and keeps the memory for later positions. At or below the
    /// point where the rows forked they hold the same tokens again, and forked() turns false.
    /// @throws Error{range} when length > length().
    void rewind(std::size_t length);
    /// An independent copy: no buffer in common. Spare capacity is not copied.
    KvCache copy() const;

    // --- for Model::forward and kernels ---

    /// Makes room for `count` further positions, for all rows together or for each row apart, and counts them
    /// in length(). The first append per row forks: whole tiles of the common tokens stay shared, the last,
    /// partly filled one is copied to every row. An exception leaves the cache as it was.
    /// @throws Error{internal} for `per_row` false on a forked cache.
    void append(std::size_t count, bool per_row);
    /// True once rows have tiles of their own. Never for one row.
    bool forked() const;
    /// Tile pointers of one row, layer and KV head: ceil(length / 16) of them. K tiles are [K][16], V tiles
    /// [16][K]. Tiles never move; the arrays of pointers are valid until the next append, reserve or rewind.
    const float* const* k_tiles(std::size_t row, std::size_t layer, std::size_t kv_head) const;
    const float* const* v_tiles(std::size_t row, std::size_t layer, std::size_t kv_head) const;
    /// Writes the key and value [head_dim] of one position; `position` < length(). Before the fork a store
    /// for any row is a store for all. Threads may store different positions or heads at the same time.
    void store(std::size_t row, std::size_t layer, std::size_t kv_head, std::size_t position,
               const float* key, const float* value);
    /// Key and value of one position as plain [head_dim] rows, for looking at.
    void load(std::size_t row, std::size_t layer, std::size_t kv_head, std::size_t position, float* key,
              float* value) const;

  private:
    KvCache() = default;  // for copy()

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace mm
