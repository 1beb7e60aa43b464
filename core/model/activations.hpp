// Scratch memory of a forward pass: grown when a larger pass comes, kept for the next one, so that decoding
// allocates nothing from its second token on. Internal to core/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/model.hpp"

namespace mm {

/// Where a token stands.
struct TokenPlace {
    KvCache* cache;
    std::size_t position;  // in it
    bool wanted;           // its logits are asked for
};

/// Of n tokens that pass through the layers together.
struct Activations {
    std::vector<TokenPlace> tokens;   // [n]
    std::vector<float> x;             // [n, D] the residual stream
    std::vector<float> normed;        // [n, D]
    std::vector<float> qkv;           // [n, (H + 2G)·K]
    std::vector<float> attended;      // [n, H·K]
    std::vector<float> mixed;         // [n, D] what a half of a layer adds to the stream
    std::vector<float> feed_forward;  // [n, 2F] gate, then up
    std::vector<float> scores;        // a stretch for each thread

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
    Activations activations;
};

/// The first `count` elements of a buffer that only ever grows.
template <typename T>
T* room(std::vector<T>& buffer, std::size_t count) {
    if (buffer.size() < count) buffer.resize(count);
    return buffer.data();
}

}  // namespace mm
