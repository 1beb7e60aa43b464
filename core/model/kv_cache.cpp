#include "core/model/kv_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/tensor/attention.hpp"

namespace mm {
namespace {

constexpr std::align_val_t kAlign{64};

struct FreeFloats {
    void operator()(float* memory) const { ::operator delete(memory, kAlign); }
};

std::size_t tiles_for(std::size_t positions) {
    return positions / kTile + (positions % kTile != 0);
}

// Grows as push_back does, so that appending token by token stays linear.
template <typename T>
void make_room(std::vector<T>& list, std::size_t size) {
    if (list.capacity() < size) list.reserve(std::max(size, 2 * list.capacity()));
}

// What one buffer holds, in floats and tiles.
struct Layout {
    std::size_t layers;
    std::size_t heads;
    std::size_t head_dim;

    std::size_t pairs() const { return layers * heads; }  // (K tile, V tile) of a layer and head
    std::size_t tile() const { return kTile * head_dim; }
    std::size_t floats() const { return pairs() * 2 * tile(); }
};

// Sixteen positions of every layer and KV head: `[L][G][2][16 · K]`, K tile before V tile.
struct Buffer {
    explicit Buffer(const Layout& layout)
        : data(static_cast<float*>(::operator new(layout.floats() * sizeof(float), kAlign))),
          stored(new std::atomic<std::uint16_t>[layout.pairs()]) {}

    float* k(const Layout& layout, std::size_t pair) const { return data.get() + pair * 2 * layout.tile(); }
    float* v(const Layout& layout, std::size_t pair) const { return k(layout, pair) + layout.tile(); }

    // Kernels read whole key tiles, so nothing may be uninitialised. Done when a buffer comes into use: until
    // then the operating system need not back its pages.
    void clear(const Layout& layout) {
        std::memset(data.get(), 0, layout.floats() * sizeof(float));
        keep(layout, 0);
    }
    // Forgets which positions from `count` on were stored.
    void keep(const Layout& layout, std::size_t count) {
        const auto mask = static_cast<std::uint16_t>((1u << count) - 1);
        for (std::size_t pair = 0; pair < layout.pairs(); ++pair) {
            stored[pair].store(count == 0 ? 0 : stored[pair].load(std::memory_order_relaxed) & mask,
                               std::memory_order_relaxed);
        }
    }
    void copy_from(const Layout& layout, const Buffer& other) {
        std::memcpy(data.get(), other.data.get(), layout.floats() * sizeof(float));
        for (std::size_t pair = 0; pair < layout.pairs(); ++pair) {
            stored[pair].store(other.stored[pair].load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
    }
    std::size_t positions_stored(const Layout& layout) const {
        std::size_t count = 0;
        for (std::size_t pair = 0; pair < layout.pairs(); ++pair) {
            count +=
                static_cast<std::size_t>(__builtin_popcount(stored[pair].load(std::memory_order_relaxed)));
        }
        return count;
    }

    std::unique_ptr<float, FreeFloats> data;
    // One bit a position for each layer and head; atomic because heads and positions are stored in parallel.
    std::unique_ptr<std::atomic<std::uint16_t>[]> stored;
};

using Buffers = std::vector<std::unique_ptr<Buffer>>;

// The tile pointers that kernels walk, for one row, layer and head.
struct Tiles {
    std::vector<const float*> k;
    std::vector<const float*> v;
};

}  // namespace

struct KvCache::State {
    Layout layout;
    std::size_t rows;
    std::size_t length = 0;
    bool forked = false;
    std::size_t fork_length = 0;  // length when the rows parted
    Buffers common;               // tiles every row sees
    std::vector<Buffers> own;     // [rows], the tiles after them; empty until forked
    Buffers spare;                // not in use; its capacity holds every buffer, so giving back never throws
    std::vector<Tiles> tiles;     // [rows][L][G]; before the fork only row 0's are filled

    State(const Layout& l, std::size_t r) : layout(l), rows(r), own(r), tiles(r * l.pairs()) {}

    std::size_t buffers_in_use() const {
        std::size_t count = common.size();
        for (const Buffers& list : own) count += list.size();
        return count;
    }
    Buffer& at(std::size_t row, std::size_t tile) const {
        return *(tile < common.size() ? common[tile] : own[row][tile - common.size()]);
    }

    // Everything that can fail for appending `count` positions: memory for buffers and for the lists.
    void provide(std::size_t count, bool per_row) {
        if (count > std::numeric_limits<std::size_t>::max() / 2 - length) throw std::bad_alloc();
        const std::size_t total = tiles_for(length + count);
        const bool apart = forked || (per_row && rows > 1);
        const std::size_t shared = forked ? common.size() : (apart ? length / kTile : total);
        std::size_t needed = shared + (total - shared) * (apart ? rows : 1);
        const std::size_t used = buffers_in_use();
        needed = needed > used ? needed - used : 0;
        make_room(spare, used + std::max(needed, spare.size()));
        while (spare.size() < needed) spare.push_back(std::make_unique<Buffer>(layout));
        make_room(common, shared);
        if (apart) {
            for (Buffers& list : own) make_room(list, total - shared);
        }
        const std::size_t lists = apart ? tiles.size() : layout.pairs();
        for (std::size_t i = 0; i < lists; ++i) {
            make_room(tiles[i].k, total);
            make_room(tiles[i].v, total);
        }
    }

    // From here on `provide` has been called: nothing allocates.
    std::unique_ptr<Buffer> take() {
        std::unique_ptr<Buffer> buffer = std::move(spare.back());
        spare.pop_back();
        return buffer;
    }
    void give_back(Buffers& list, std::size_t keep) {
        while (list.size() > keep) {
            spare.push_back(std::move(list.back()));
            list.pop_back();
        }
    }
    void show(std::size_t row, const Buffer& buffer) {
        for (std::size_t pair = 0; pair < layout.pairs(); ++pair) {
            Tiles& list = tiles[row * layout.pairs() + pair];
            list.k.push_back(buffer.k(layout, pair));
            list.v.push_back(buffer.v(layout, pair));
        }
    }
    void show_only(std::size_t row, std::size_t count) {
        for (std::size_t pair = 0; pair < layout.pairs(); ++pair) {
            Tiles& list = tiles[row * layout.pairs() + pair];
            list.k.resize(std::min(count, list.k.size()));
            list.v.resize(std::min(count, list.v.size()));
        }
    }

    void fork() {
        forked = true;
        fork_length = length;
        for (std::size_t row = 1; row < rows; ++row) {
            show_only(row, 0);
            for (std::size_t tile = 0; tile < length / kTile; ++tile) show(row, *common[tile]);
        }
        if (length % kTile == 0) return;
        own[0].push_back(std::move(common.back()));  // row 0's pointers stay
        common.pop_back();
        for (std::size_t row = 1; row < rows; ++row) {
            own[row].push_back(take());
            own[row].back()->copy_from(layout, *own[0].back());
            show(row, *own[row].back());
        }
    }
    // Back at or before the fork: row 0's copy of the partly filled tile is everybody's again.
    void unfork() {
        forked = false;
        if (!own[0].empty() && fork_length % kTile != 0) {
            common.push_back(std::move(own[0].front()));
            own[0].erase(own[0].begin());
        }
        for (Buffers& list : own) give_back(list, 0);
        for (std::size_t row = 1; row < rows; ++row) show_only(row, 0);
    }
};

KvCache::KvCache(const ModelConfig& config, std::size_t rows) {
    const auto positive = [](std::int64_t value, const char* field) {
        if (value <= 0) throw_error(ErrorKind::range, "must be positive", {.field = field});
        return static_cast<std::uint64_t>(value);
    };
    const std::uint64_t layers = positive(config.num_hidden_layers, "num_hidden_layers");
    const std::uint64_t heads = positive(config.num_key_value_heads, "num_key_value_heads");
    const std::uint64_t head_dim = positive(config.head_dim, "head_dim");
    if (rows == 0) throw_error(ErrorKind::range, "a cache has at least one row", {.field = "rows"});
    std::uint64_t bytes = 2 * kTile * sizeof(float);
    for (const std::uint64_t factor : {layers, heads, head_dim, static_cast<std::uint64_t>(rows)}) {
        if (factor > std::numeric_limits<std::size_t>::max() / 2 / bytes) {
            throw_error(ErrorKind::range, "a cache of these dimensions does not fit in memory");
        }
        bytes *= factor;
    }
    state_ = std::make_unique<State>(Layout{static_cast<std::size_t>(layers), static_cast<std::size_t>(heads),
                                            static_cast<std::size_t>(head_dim)},
                                     rows);
}

KvCache::KvCache(KvCache&&) noexcept = default;
KvCache& KvCache::operator=(KvCache&&) noexcept = default;
KvCache::~KvCache() = default;

std::size_t KvCache::rows() const {
    return state_->rows;
}
std::size_t KvCache::layers() const {
    return state_->layout.layers;
}
std::size_t KvCache::length() const {
    return state_->length;
}
bool KvCache::forked() const {
    return state_->forked;
}

std::uint64_t KvCache::bytes_used() const {
    std::uint64_t positions = 0;
    for (const auto& buffer : state_->common) positions += buffer->positions_stored(state_->layout);
    for (const Buffers& list : state_->own) {
        for (const auto& buffer : list) positions += buffer->positions_stored(state_->layout);
    }
    return positions * 2 * state_->layout.head_dim * sizeof(float);
}

std::uint64_t KvCache::bytes_reserved() const {
    return std::uint64_t{state_->buffers_in_use() + state_->spare.size()} * state_->layout.floats() *
           sizeof(float);
}

std::array<std::int64_t, 4> KvCache::k_shape() const {
    return {static_cast<std::int64_t>(state_->rows), static_cast<std::int64_t>(state_->length),
            static_cast<std::int64_t>(state_->layout.heads),
            static_cast<std::int64_t>(state_->layout.head_dim)};
}

void KvCache::reserve(std::size_t count, bool per_row) {
    state_->provide(count, per_row);
}

void KvCache::append(std::size_t count, bool per_row) {
    State& s = *state_;
    if (s.forked && !per_row) {
        throw_error(ErrorKind::internal, "rows that have parted cannot take common tokens");
    }
    if (count == 0) return;
    s.provide(count, per_row);
    if (per_row && s.rows > 1 && !s.forked) s.fork();
    const std::size_t total = tiles_for(s.length + count);
    const auto extend = [&s](Buffers& list, std::size_t size, std::size_t row) {
        while (list.size() < size) {
            list.push_back(s.take());
            list.back()->clear(s.layout);
            s.show(row, *list.back());
        }
    };
    if (s.forked) {
        for (std::size_t row = 0; row < s.rows; ++row) extend(s.own[row], total - s.common.size(), row);
    } else {
        extend(s.common, total, 0);
    }
    s.length += count;
}

void KvCache::rewind(std::size_t length) {
    State& s = *state_;
    if (length > s.length) {
        throw_error(ErrorKind::range, join({"cannot rewind to position ", length, " of ", s.length}));
    }
    if (length == s.length) return;
    if (s.forked && length <= s.fork_length) s.unfork();
    const std::size_t total = tiles_for(length);
    if (s.forked) {
        for (Buffers& list : s.own) s.give_back(list, total - s.common.size());
    } else {
        s.give_back(s.common, total);
    }
    for (std::size_t row = 0; row < s.rows; ++row) s.show_only(row, total);
    s.length = length;
    if (length % kTile == 0) return;
    for (std::size_t row = 0; row < (s.forked ? s.rows : 1); ++row) {
        s.at(row, total - 1).keep(s.layout, length % kTile);
    }
}

KvCache KvCache::copy() const {
    const State& s = *state_;
    KvCache other;
    other.state_ = std::make_unique<State>(s.layout, s.rows);
    State& o = *other.state_;
    const auto clone = [&s, &o](const Buffers& from, Buffers& to) {
        for (const auto& buffer : from) {
            to.push_back(std::make_unique<Buffer>(s.layout));
            to.back()->copy_from(s.layout, *buffer);
        }
        make_room(o.spare, o.buffers_in_use());
    };
    clone(s.common, o.common);
    for (std::size_t row = 0; row < s.rows; ++row) clone(s.own[row], o.own[row]);
    for (std::size_t row = 0; row < (s.forked ? s.rows : 1); ++row) {
        for (std::size_t tile = 0; tile < tiles_for(s.length); ++tile) o.show(row, o.at(row, tile));
    }
    o.length = s.length;
    o.forked = s.forked;
    o.fork_length = s.fork_length;
    return other;
}

const float* const* KvCache::k_tiles(std::size_t row, std::size_t layer, std::size_t kv_head) const {
    const State& s = *state_;
    return s.tiles[((s.forked ? row : 0) * s.layout.layers + layer) * s.layout.heads + kv_head].k.data();
}

const float* const* KvCache::v_tiles(std::size_t row, std::size_t layer, std::size_t kv_head) const {
    const State& s = *state_;
    return s.tiles[((s.forked ? row : 0) * s.layout.layers + layer) * s.layout.heads + kv_head].v.data();
}

void KvCache::store(std::size_t row, std::size_t layer, std::size_t kv_head, std::size_t position,
                    const float* key, const float* value) {
    State& s = *state_;
    const std::size_t pair = layer * s.layout.heads + kv_head;
    const std::size_t at = position % kTile;
    Buffer& buffer = s.at(row, position / kTile);
    float* k = buffer.k(s.layout, pair) + at;
    for (std::size_t i = 0; i < s.layout.head_dim; ++i) k[i * kTile] = key[i];
    std::memcpy(buffer.v(s.layout, pair) + at * s.layout.head_dim, value, s.layout.head_dim * sizeof(float));
    buffer.stored[pair].fetch_or(static_cast<std::uint16_t>(1u << at), std::memory_order_relaxed);
}

void KvCache::load(std::size_t row, std::size_t layer, std::size_t kv_head, std::size_t position, float* key,
                   float* value) const {
    const State& s = *state_;
    const std::size_t pair = layer * s.layout.heads + kv_head;
    const std::size_t at = position % kTile;
    const Buffer& buffer = s.at(row, position / kTile);
    const float* k = buffer.k(s.layout, pair) + at;
    for (std::size_t i = 0; i < s.layout.head_dim; ++i) key[i] = k[i * kTile];
    std::memcpy(value, buffer.v(s.layout, pair) + at * s.layout.head_dim, s.layout.head_dim * sizeof(float));
}

}  // namespace mm
