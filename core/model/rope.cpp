#include "core/model/rope.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/base/exact_math.hpp"
#include "core/tensor/trig.hpp"

namespace mm {
namespace {

/// base^exponent in float32, 0 ≤ exponent < 1. The exponent's bits select among base^(1/2), base^(1/4), …:
/// square roots and products, which IEEE 754 fixes to the bit, where pow differs between libms. The relative
/// error before the one rounding stays below 24 · 2^-53.
float power(float base, float exponent) {
    double root = base;
    double result = 1;
    for (double rest = exponent; rest > 0;) {
        root = std::sqrt(root);
        rest *= 2;
        if (rest >= 1) {
            result *= root;
            rest -= 1;
        }
    }
    return static_cast<float>(result);
}

/// YaRN's ramp bounds: the dimension whose wavelength turns `beta` times within the original context,
/// MiniMind's float64 formula. Only its floor and ceiling are used.
double ramp_dimension(const ModelConfig& config, double beta) {
    const auto original = static_cast<double>(config.rope_scaling->original_max_position_embeddings);
    return static_cast<double>(config.head_dim) * exact_log(original / (beta * 2 * std::numbers::pi)) /
           (2 * exact_log(config.rope_theta));
}

void apply_yarn(const ModelConfig& config, std::vector<float>& frequencies) {
    const RopeScaling& scaling = *config.rope_scaling;
    const std::int64_t dimensions = scaling.as_transformers ? config.head_dim : config.head_dim / 2;
    double low = ramp_dimension(config, scaling.beta_fast);
    double high = ramp_dimension(config, scaling.beta_slow);
    if (scaling.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, static_cast<double>(dimensions - 1));
    // MiniMind's ramp never falls; transformers only steps aside where its width would be 0.
    const double least = scaling.as_transformers && high != low ? high - low : 0.001;
    const auto width = static_cast<float>(std::max(high - low, least));
    const auto factor = static_cast<float>(scaling.factor);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const float ramp = std::clamp((static_cast<float>(i) - static_cast<float>(low)) / width, 0.0f, 1.0f);
        frequencies[i] *= 1.0f - ramp + ramp / factor;
    }
}

}  // namespace

std::vector<float> rope_frequencies(const ModelConfig& config) {
    std::vector<float> frequencies(static_cast<std::size_t>(config.head_dim / 2));
    const auto theta = static_cast<float>(config.rope_theta);
    const auto head_dim = static_cast<float>(config.head_dim);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        frequencies[i] = 1.0f / power(theta, static_cast<float>(2 * i) / head_dim);
    }
    // To MiniMind, a context no longer than the original one needs no interpolation.
    if (config.rope_scaling &&
        (config.rope_scaling->as_transformers ||
         config.max_position_embeddings > config.rope_scaling->original_max_position_embeddings)) {
        apply_yarn(config, frequencies);
    }
    return frequencies;
}

RopeTable::RopeTable(const ModelConfig& config) : frequencies_(rope_frequencies(config)) {
    if (config.rope_scaling) attention_factor_ = static_cast<float>(config.rope_scaling->attention_factor);
}

std::size_t RopeTable::block_of(std::size_t position) {
    return static_cast<std::size_t>(std::bit_width(position / kFirstBlock + 1)) - 1;
}

const float* RopeTable::entry(std::size_t position) const {
    const std::size_t block = block_of(position);
    return blocks_[block].get() + (position - first_of(block)) * 2 * frequencies_.size();
}

void RopeTable::ensure(std::size_t count) const {
    if (count <= ready_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(growing_);
    const std::size_t half = frequencies_.size();
    for (std::size_t block = block_of(ready_.load(std::memory_order_relaxed)); first_of(block) < count;
         ++block) {
        const std::size_t positions = kFirstBlock << block;
        auto table = std::make_unique<float[]>(positions * 2 * half);
        float* to = table.get();
        for (std::size_t p = 0; p < positions; ++p, to += 2 * half) {
            const auto position = static_cast<float>(first_of(block) + p);
            for (std::size_t i = 0; i < half; ++i) {
                const SinCos value = sin_cos(position * frequencies_[i]);  // the angle is rounded to float32
                to[i] = value.cos * attention_factor_;
                to[half + i] = value.sin * attention_factor_;
            }
        }
        blocks_[block] = std::move(table);
        ready_.store(first_of(block + 1), std::memory_order_release);
    }
}

}  // namespace mm
