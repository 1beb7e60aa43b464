// PyTorch's CPU random generator: the same seed gives the numbers, and the token ids, that PyTorch draws.
//
// Between `Mt19937` (raw outputs) and the sampling loop. Every function below names its PyTorch counterpart
// and consumes as many outputs as that does, so calls can be mixed in any order. Nothing here allocates. Not
// here: randn and other distributions the lab does not use; generator states as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/token_id.hpp"
#include "core/decode/mt19937.hpp"
#include "core/decode/rng_stream.hpp"

namespace mm {

class TorchGenerator {
  public:
    /// Seeded as a fresh `torch.Generator()`.
    explicit TorchGenerator(RngStream stream = RngStream::torch);

    /// `torch.manual_seed(seed)`. The engine takes the low 32 bits; PyTorch takes a negative seed modulo
    /// 2^64.
    void manual_seed(std::uint64_t seed);

    RngStream stream() const { return stream_; }

    /// The next output of the engine.
    std::uint32_t random_u32() { return engine_.next(); }
    /// The next out.size() outputs.
    void fill_u32(std::span<std::uint32_t> out) { engine_.fill(out); }
    /// Two outputs, the first in the high half.
    std::uint64_t random_u64();

    /// `torch.randint(low, high, (1,))`: low ≤ value < high.
    /// Takes one output, or two when the range high − low is 2^32 or more (2^28 or more with `torch-2.7`).
    /// @throws Error{range} unless low < high.
    std::int64_t randint(std::int64_t low, std::int64_t high);

    /// `torch.rand(1)`: in [0, 1), a multiple of 2^-24; one output.
    float rand_f32();
    /// `torch.rand(1, dtype=torch.float64)`: in [0, 1), a multiple of 2^-53; two outputs.
    double rand_f64();

    /// `torch.empty(n).exponential_()` in float32, n = out.size(); one call here stands for one call there.
    /// `torch`, `torch-2.7`: −ln(1 − u) for u = rand_f64(), rounded to float32; two outputs a value.
    /// `torch-mkl`: −ln(u) for the uniforms of an `Mcg31` seeded with one output (none when n = 0). MKL's own
    /// logarithm is not correctly rounded and differs with the CPU's instruction set by up to a few ulp: ours
    /// is the correctly rounded value.
    void exponential_(std::span<float> out);
    /// The same n values, handed to `take` one after another.
    void exponential_(std::uint64_t n, const std::function<void(float)>& take);

    /// `torch.multinomial(probs, 1)`: one draw a row, the argmax of the float32 quotients probs / q with q =
    /// one `exponential_` of the whole [rows, V] shape; of equal quotients the first wins.
    /// @param probs  [rows, V], row-major; finite, ≥ 0, each row with a positive value; need not sum to 1
    /// @param vocab  V, 1 … 2^24
    /// @param ids    [rows], one id a row
    /// @throws Error{range} on what PyTorch refuses; then nothing has been consumed.
    void multinomial(std::span<const float> probs, std::size_t rows, std::size_t vocab,
                     std::span<TokenId> ids);

    /// Engine outputs consumed since the last manual_seed.
    std::uint64_t u32_consumed() const { return engine_.consumed(); }

  private:
    RngStream stream_;
    Mt19937 engine_;
};

}  // namespace mm
