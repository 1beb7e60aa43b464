// What a transformer layer is made of. forward.cpp strings it together; kernels live in core/tensor.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/activations.hpp"
#include "core/model/weights.hpp"
#include "core/tensor/thread_pool.hpp"

namespace mm {

/// An element of a norm, a rotation or a SiLU takes about as long as so many multiply-adds (tasks_worth()).
constexpr std::size_t kRowOperation = 8;

/// Rows begin … begin + count of the activations, and the threads that compute them.
struct Part {
    std::size_t begin;
    std::size_t count;
    ThreadPool& pool;
    std::size_t slot;  // of the thread that computes it, or of the first of the pool's

    float* rows(std::vector<float>& buffer, std::size_t width) const { return buffer.data() + begin * width; }
};

/// y = norm(x) for rows of D.
void rms_norm_rows(const float* x, const Vector& weight, float eps, std::size_t rows, float* y,
                   ThreadPool& pool);

/// Norm and rotation of queries and keys in place; keys and values go into their tokens' caches.
/// @param a  reads and writes a.qkv
void rotate_and_store(const Weights& weights, std::size_t layer, Activations& a, const Part& part);

/// Takes the memory that attend() needs for a.tokens.
void make_room_for_scores(Activations& a, std::size_t threads);

/// softmax(q·kᵀ/√K)·v over each token's own cache, up to its position.
/// @param a  reads a.qkv's queries, writes a.attended. The keys and values of all tokens must be stored.
void attend(const Weights& weights, std::size_t layer, Activations& a, const Part& part);

/// down(silu(gate(x)) · up(x)), or its mixture over the chosen experts (all tokens in one part).
/// @param a  reads a.normed, writes a.mixed
void feed_forward(const Weights& weights, std::size_t layer, Activations& a, const Part& part);

}  // namespace mm
