// Rotary embedding's tables: frequencies (plain or YaRN) and cos/sin of every position.
//
// Follows MiniMind's float32 arithmetic step by step, with nothing taken from libm that could differ between
// targets. Rotating a head is core/tensor/ops.hpp's business.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/model/config.hpp"

namespace mm {

/// The K/2 rotary frequencies in float32, after YaRN where it applies:
///   f[i] = 1 / theta^(2i/K);  YaRN: f[i] · (1 − r[i] + r[i]/factor), r a ramp from 0 to 1 over i.
/// Each operation is rounded to float32 as PyTorch does; the power is the correctly rounded one. PyTorch's
/// own float pow is off by an ulp or two in about 1.5 % of entries, depending on the CPU's vector width, so
/// there is nothing to follow there (tests/model/rope_test.cpp lists what it gives for the usual sizes).
/// @param config validated
std::vector<float> rope_frequencies(const ModelConfig& config);

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
/// One thread: nothing to lock. (std::mutex brings the text of every system error along, 2 KB.)
struct Mutex {
    void lock() {}
    void unlock() {}
};
#else
using Mutex = std::mutex;
#endif

/// cos and sin of position × frequency, computed once for each position when it is first reached.
/// Safe to read and grow from several threads at once.
class RopeTable {
  public:
    explicit RopeTable(const ModelConfig& config);

    /// Makes positions 0 … count − 1 readable.
    void ensure(std::size_t count) const;
    /// [K/2] of a position that `ensure` has covered; attention_factor included. Stays valid.
    const float* cos(std::size_t position) const { return entry(position); }
    const float* sin(std::size_t position) const { return entry(position) + frequencies_.size(); }

    const std::vector<float>& frequencies() const { return frequencies_; }

  private:
    // Block b holds kFirstBlock << b positions, so 26 of them reach every 32-bit position and none ever
    // moves.
    static constexpr std::size_t kFirstBlock = 64;
    static constexpr std::size_t kBlocks = 26;
    static std::size_t block_of(std::size_t position);
    static std::size_t first_of(std::size_t block) { return kFirstBlock * ((std::size_t{1} << block) - 1); }
    const float* entry(std::size_t position) const;

    std::vector<float> frequencies_;
    float attention_factor_ = 1;
    mutable Mutex growing_;
    mutable std::atomic<std::size_t> ready_{0};                     // positions in complete blocks
    mutable std::array<std::unique_ptr<float[]>, kBlocks> blocks_;  // [positions][2][K/2]: cos, then sin
};

}  // namespace mm
