// Keys and values of every layer for the tokens of one row: the object the lab is about.
//
// A buffer holds K (after norm and rotation) and V of 16 positions, all layers and KV heads, before any head
// is repeated. Buffers are made as tokens come and never move. A batch is a span of caches: rows that share a
// prompt are `copy()`s of the cache that read it, and hold its full buffers together. Nothing here computes;
// `Model::forward` is the only writer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/config.hpp"
#include "core/tensor/tiles.hpp"

namespace mm {

class KvCache {
  public:
    /// @throws Error{range} when a dimension of `config` is not positive, or 16 positions fit in no memory.
    explicit KvCache(const ModelConfig& config);
    KvCache(KvCache&&) noexcept = default;
    KvCache& operator=(KvCache&&) noexcept = default;

    /// The fork: a cache of the same tokens that goes its own way from here. Full buffers are shared, the
    /// last, partly filled one is copied. Caches that share buffers are for one thread at a time.
    KvCache copy() const;

    std::size_t layers() const { return layers_; }  // L
    std::size_t length() const { return length_; }  // positions held
    /// (1, length, KV heads, head_dim) of a layer's K.
    std::array<std::int64_t, 4> k_shape() const;

    /// Bytes of K and V held, counted buffer by buffer, over a batch each buffer once.
    static std::uint64_t bytes_used(std::span<const KvCache> batch);
    std::uint64_t bytes_used() const { return bytes_used({this, 1}); }
    /// Bytes of the buffers themselves, room for positions to come included.
    static std::uint64_t bytes_reserved(std::span<const KvCache> batch);
    std::uint64_t bytes_reserved() const { return bytes_reserved({this, 1}); }

    /// Makes room for `count` further positions and counts them in length(). Out of memory leaves the cache
    /// as it was.
    void append(std::size_t count);
    /// Forgets every position from `length` on. Fails for lack of memory (and then changes nothing) only
    /// where it cuts into a buffer that a copy shares.
    /// @throws Error{range} when length > length().
    void rewind(std::size_t length);

    /// Writes the key and value [head_dim] of one position < length(). Threads may store different positions
    /// or heads at the same time.
    void store(std::size_t layer, std::size_t kv_head, std::size_t position, const float* key,
               const float* value);
    /// Key and value of one position as plain [head_dim] rows, for looking at.
    void load(std::size_t layer, std::size_t kv_head, std::size_t position, float* key, float* value) const;
    /// K tiles are [head_dim][16], V tiles [16][head_dim] (core/tensor/attention.hpp). Valid until the next
    /// append or rewind.
    Tiles k_tiles(std::size_t layer, std::size_t kv_head) const;
    Tiles v_tiles(std::size_t layer, std::size_t kv_head) const;

  private:
    struct alignas(64) Line {
        float at[kTile];
    };
    // Sixteen positions: [L][G] of a K tile, then a V tile; each takes head_dim lines.
    struct Buffer {
        std::vector<Line> lines;
        std::size_t positions = 0;  // held, of 16

        float* floats() { return lines.front().at; }
        std::uint64_t bytes() const { return std::uint64_t{lines.size()} * sizeof(Line); }
    };

    KvCache(const KvCache&) = default;  // for copy()
    void make_own(std::size_t tile);
    template <typename Bytes>
    static std::uint64_t sum_once(std::span<const KvCache> batch, Bytes bytes);

    std::size_t layers_;
    std::size_t kv_heads_;
    std::size_t head_dim_;
    std::size_t length_ = 0;
    std::vector<std::shared_ptr<Buffer>>
        buffers_;                 // of tile 0, 1, …; all but a partly filled last may be shared
    std::vector<float*> starts_;  // their floats, as kernels read them
};

}  // namespace mm
