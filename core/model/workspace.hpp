// Scratch memory of a forward pass: grown when a larger pass comes, kept for the next one, so that decoding
// allocates nothing from its second token on. Internal to core/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/model.hpp"

namespace mm {

/// One call of the attention kernel: `tokens` query tokens of one row and one head, or the heads of one KV
/// group for one token. Either way the queries see the same keys.
struct AttentionTask {
    std::size_t token;  // first, in the run
    std::size_t tokens;
    std::size_t head;  // first
    std::size_t heads;
};

/// Activations of n tokens that pass through the layers together.
struct Activations {
    std::vector<float> normed;        // [n, D]
    std::vector<float> qkv;           // [n, (H + 2G)·K]
    std::vector<float> attended;      // [n, H·K]
    std::vector<float> mixed;         // [n, D] what a block adds to the stream
    std::vector<float> feed_forward;  // [n, 2F] gate, then up

    std::vector<AttentionTask> tasks;
    std::vector<float> scores;  // [slots][queries][keys]

    // Mixture of experts.
    std::vector<float> router;          // [n, E] probabilities
    std::vector<std::uint32_t> chosen;  // [n, k] experts of each token, by descending probability
    std::vector<float> weights;         // [n, k] their weights
    std::vector<std::uint32_t> routed;  // tokens of the expert at hand
    std::vector<float> routed_weights;  // their weights
    std::vector<float> expert_in;       // [m, D]
    std::vector<float> expert_out;      // [m, D]
};

struct Workspace::Buffers {
    std::uint64_t tokens_fed = 0;
    std::vector<float> hidden;       // [n, D] the residual stream of a run
    std::vector<float> final_rows;   // [m, D] normed rows that the head sees
    std::vector<Activations> lanes;  // of each part of the run that is computed by itself
};

/// The first `count` elements of a buffer that only ever grows.
template <typename T>
T* room(std::vector<T>& buffer, std::size_t count) {
    if (buffer.size() < count) buffer.resize(count);
    return buffer.data();
}

}  // namespace mm
