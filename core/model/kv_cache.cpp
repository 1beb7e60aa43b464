#include "core/model/kv_cache.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>

#include "core/base/error.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

std::size_t tiles_for(std::size_t positions) {
    return positions / kTile + (positions % kTile != 0);
}

std::size_t positive(std::int64_t value, const char* field) {
    if (value <= 0) throw_error(ErrorKind::range, "must be positive", {.field = field});
    return static_cast<std::size_t>(value);
}

}  // namespace

KvCache::KvCache(const ModelConfig& config)
    : layers_(positive(config.num_hidden_layers, "num_hidden_layers")),
      kv_heads_(positive(config.num_key_value_heads, "num_key_value_heads")),
      head_dim_(positive(config.head_dim, "head_dim")) {
    const std::size_t most = std::numeric_limits<std::size_t>::max() / 4 / sizeof(Line);
    if (layers_ > most / kv_heads_ || layers_ * kv_heads_ > most / head_dim_) {
        throw_error(ErrorKind::range, "a cache of these dimensions does not fit in memory");
    }
}

KvCache KvCache::copy() const {
    KvCache other(*this);
    if (length_ % kTile != 0) other.make_own(length_ / kTile);
    return other;
}

std::array<std::int64_t, 4> KvCache::k_shape() const {
    return {1, static_cast<std::int64_t>(length_), static_cast<std::int64_t>(kv_heads_),
            static_cast<std::int64_t>(head_dim_)};
}

// Copies share a buffer at the same tile or not at all.
template <typename Bytes>
std::uint64_t KvCache::sum_once(std::span<const KvCache> batch, Bytes bytes) {
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < batch.size(); ++row) {
        for (std::size_t tile = 0; tile < batch[row].buffers_.size(); ++tile) {
            const auto& buffer = batch[row].buffers_[tile];
            const auto holds_it = [&](const KvCache& earlier) {
                return tile < earlier.buffers_.size() && earlier.buffers_[tile] == buffer;
            };
            if (std::none_of(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(row), holds_it))
                sum += bytes(*buffer);
        }
    }
    return sum;
}

std::uint64_t KvCache::bytes_used(std::span<const KvCache> batch) {
    return sum_once(batch, [](const Buffer& b) { return b.bytes() / kTile * b.positions; });
}

std::uint64_t KvCache::bytes_reserved(std::span<const KvCache> batch) {
    return sum_once(batch, [](const Buffer& b) { return b.bytes(); });
}

void KvCache::append(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / 2 - length_) throw std::bad_alloc();
    const std::size_t before = buffers_.size();
    const std::size_t after = length_ + count;
    try {
        while (buffers_.size() < tiles_for(after)) {
            auto buffer = std::make_shared<Buffer>();
            buffer->lines.resize(layers_ * kv_heads_ * 2 * head_dim_);
            starts_.push_back(buffer->floats());
            buffers_.push_back(std::move(buffer));
        }
    } catch (...) {
        buffers_.resize(before);
        starts_.resize(before);
        throw;
    }
    for (std::size_t tile = length_ / kTile; tile < buffers_.size(); ++tile) {
        buffers_[tile]->positions = std::min(kTile, after - tile * kTile);
    }
    length_ = after;
}

void KvCache::rewind(std::size_t length) {
    if (length > length_) {
        throw_error(ErrorKind::range, join({"cannot rewind to position ", length, " of ", length_}));
    }
    const std::size_t rest = length % kTile;
    if (rest != 0) make_own(length / kTile);
    buffers_.resize(tiles_for(length));
    starts_.resize(buffers_.size());
    if (rest != 0) buffers_.back()->positions = rest;
    length_ = length;
}

// A buffer about to be written or cut: no copy may see it.
void KvCache::make_own(std::size_t tile) {
    if (buffers_[tile].use_count() == 1) return;
    buffers_[tile] = std::make_shared<Buffer>(*buffers_[tile]);
    starts_[tile] = buffers_[tile]->floats();
}

Tiles KvCache::k_tiles(std::size_t layer, std::size_t kv_head) const {
    assert(layer < layers_ && kv_head < kv_heads_);
    return {starts_.data(), (layer * kv_heads_ + kv_head) * 2 * head_dim_ * kTile};
}

Tiles KvCache::v_tiles(std::size_t layer, std::size_t kv_head) const {
    const Tiles keys = k_tiles(layer, kv_head);
    return {keys.buffers, keys.offset + head_dim_ * kTile};
}

void KvCache::store(std::size_t layer, std::size_t kv_head, std::size_t position, const float* key,
                    const float* value) {
    assert(position < length_ && buffers_[position / kTile].use_count() == 1);
    float* buffer = starts_[position / kTile];
    float* k = buffer + k_tiles(layer, kv_head).offset + position % kTile;
    for (std::size_t i = 0; i < head_dim_; ++i) k[i * kTile] = key[i];
    std::copy_n(value, head_dim_, buffer + v_tiles(layer, kv_head).offset + position % kTile * head_dim_);
}

void KvCache::load(std::size_t layer, std::size_t kv_head, std::size_t position, float* key,
                   float* value) const {
    assert(position < length_);
    const float* buffer = starts_[position / kTile];
    const float* k = buffer + k_tiles(layer, kv_head).offset + position % kTile;
    for (std::size_t i = 0; i < head_dim_; ++i) key[i] = k[i * kTile];
    std::copy_n(buffer + v_tiles(layer, kv_head).offset + position % kTile * head_dim_, head_dim_, value);
}

}  // namespace mm
