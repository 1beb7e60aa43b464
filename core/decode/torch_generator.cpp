#include "core/decode/torch_generator.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "core/base/exact_math.hpp"
#include "core/base/join.hpp"
#include "core/decode/mcg31.hpp"

namespace mm {
namespace {

// PyTorch's double in [0, 1) of two outputs: their lower 53 bits.
double uniform_of(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = std::uint64_t{high} << 32 | low;
    return static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

// Two sources of the draws of one exponential_ call. `next` hands out v in (0, 1] whose draw is −ln(v), and
// `value` that draw: multinomial decides most cases from v alone, without the logarithm.

// PyTorch's own path.
class TorchExponential {
  public:
    explicit TorchExponential(TorchGenerator& generator) : generator_(generator) {}

    double next() { return 1.0 - generator_.rand_f64(); }  // exact: both are multiples of 2^-53
    /// The engine's outputs that `next` would use, two for each.
    void fill(std::span<std::uint32_t> words) { generator_.fill_u32(words); }

    float value(double v) const {
        // u = 0, once in 2^53 draws: −log(1 − u) is −0; newer releases compute −log1p(−u), which is +0.
        if (v == 1.0) return generator_.stream() == RngStream::torch_2_7 ? 0.0F : -0.0F;
        return static_cast<float>(-exact_log(v));
    }

  private:
    TorchGenerator& generator_;
};

// MKL's vsRngExponential with the displacement that PyTorch adds so that no draw is 0.
class MklExponential {
  public:
    explicit MklExponential(TorchGenerator& generator) : engine_(generator.random_u32()) {}

    double next() { return engine_.next_uniform(); }

    float value(double v) const {
        return static_cast<float>(-exact_log(v)) + std::numeric_limits<float>::min();
    }

  private:
    Mcg31 engine_;
};

// The race of one row: whose probability / draw is largest. The first wins a tie; NaN, as 0 / 0, counts as
// largest.
class Race {
  public:
    template <typename Exponential>
    void enter(std::size_t id, float probability, double v, const Exponential& exponential) {
        constexpr double kSlack = 1 - 0x1p-20;  // more than the roundings of draw and quotient can add up to
        // −ln(v) ≥ 1 − v: when p / (1 − v) cannot beat the best so far, neither can p / −ln(v).
        // (Strictly less: 0 / 0 is NaN and wins.)
        if (probability < best_ * (1 - v) * kSlack || best_ != best_) return;
        const float quotient = probability / exponential.value(v);
        if (quotient > best_ || quotient != quotient) {
            best_ = quotient;
            winner_ = id;
        }
    }

    /// Whether any of some candidates may win, from the first words of their uniforms u = 1 − v alone, two
    /// words apart: u is at least `first word mod 2^21` · 2^-21. False is certain, true is not.
    bool may_change(const float* probabilities, const std::uint32_t* words, std::size_t count) const {
        // As above, in float32; below some size its products would lose precision.
        if (!(best_ > 0x1p-100F)) return true;
        const float bound = best_ * (1 - 0x1p-18F);
        unsigned any = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto u = static_cast<float>(static_cast<std::int32_t>(words[2 * i] & 0x1FFFFFU)) * 0x1p-21F;
            any |= static_cast<unsigned>(!(probabilities[i] < bound * u));
        }
        return any != 0;
    }

    TokenId winner() const { return static_cast<TokenId>(winner_); }

  private:
    float best_ = -1;
    std::size_t winner_ = 0;
};

TokenId race(MklExponential& exponential, const float* probs, std::size_t vocab) {
    Race race;
    for (std::size_t i = 0; i < vocab; ++i) race.enter(i, probs[i], exponential.next(), exponential);
    return race.winner();
}

// The same in blocks: once a likely token has drawn, nearly every block is out of the race as a whole.
TokenId race(TorchExponential& exponential, const float* probs, std::size_t vocab) {
    constexpr std::size_t kBlock = 32;
    std::array<std::uint32_t, 2 * kBlock> words;
    Race race;
    for (std::size_t from = 0; from < vocab; from += kBlock) {
        const std::size_t count = std::min(kBlock, vocab - from);
        exponential.fill(std::span(words).first(2 * count));
        if (!race.may_change(probs + from, words.data(), count)) continue;
        for (std::size_t i = 0; i < count; ++i) {
            const double u = uniform_of(words[2 * i], words[2 * i + 1]);
            race.enter(from + i, probs[from + i], 1.0 - u, exponential);
        }
    }
    return race.winner();
}

void check_row(const float* row, std::size_t vocab, std::size_t index) {
    unsigned bad = 0, positive = 0;
    for (std::size_t i = 0; i < vocab; ++i) {
        bad |= static_cast<unsigned>(!(row[i] >= 0)) |
               static_cast<unsigned>(!(row[i] <= std::numeric_limits<float>::max()));
        positive |= static_cast<unsigned>(row[i] > 0);
    }
    if (bad != 0) {
        throw_error(ErrorKind::range, join({"row ", index, " holds a negative, infinite or NaN value"}),
                    {.field = "probabilities"});
    }
    if (positive == 0) {
        throw_error(ErrorKind::range, join({"row ", index, " holds no positive value"}),
                    {.field = "probabilities"});
    }
}

}  // namespace

TorchGenerator::TorchGenerator(RngStream stream) : stream_(stream), engine_(0) {
    manual_seed(67280421310721U);  // PyTorch's default seed
}

void TorchGenerator::manual_seed(std::uint64_t seed) {
    engine_.seed(static_cast<std::uint32_t>(seed));
}

std::uint64_t TorchGenerator::random_u64() {
    const std::uint64_t high = random_u32();
    return high << 32 | random_u32();
}

std::int64_t TorchGenerator::randint(std::int64_t low, std::int64_t high) {
    if (low >= high) {
        throw_error(ErrorKind::range, join({"low must be less than high, got ", low, " and ", high}),
                    {.field = "randint"});
    }
    // Unsigned throughout: high − low can pass 2^63.
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const int wide_from = stream_ == RngStream::torch_2_7 ? 28 : 32;
    const std::uint64_t value = range >> wide_from != 0 ? random_u64() : random_u32();
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + value % range);
}

float TorchGenerator::rand_f32() {
    return static_cast<float>(random_u32() & 0xFFFFFFU) * 0x1p-24F;
}

double TorchGenerator::rand_f64() {
    const std::uint32_t high = random_u32();
    return uniform_of(high, random_u32());
}

void TorchGenerator::exponential_(std::span<float> out) {
    std::size_t at = 0;
    exponential_(out.size(), [out, &at](float value) { out[at++] = value; });
}

void TorchGenerator::exponential_(std::uint64_t n, const std::function<void(float)>& take) {
    if (n == 0) return;  // no seed is taken for MKL either
    const auto fill = [n, &take](auto exponential) {
        for (std::uint64_t i = 0; i < n; ++i) take(exponential.value(exponential.next()));
    };
    if (stream_ == RngStream::torch_mkl) {
        fill(MklExponential(*this));
    } else {
        fill(TorchExponential(*this));
    }
}

void TorchGenerator::multinomial(std::span<const float> probs, std::size_t rows, std::size_t vocab,
                                 std::span<TokenId> ids) {
    if (vocab == 0 || vocab > (std::size_t{1} << 24)) {
        throw_error(ErrorKind::range, "the number of categories must be 1 to 2^24",
                    {.field = "probabilities"});
    }
    if (probs.size() / vocab != rows || probs.size() % vocab != 0 || ids.size() != rows) {
        throw_error(ErrorKind::internal, "multinomial: sizes of probabilities and ids do not fit the shape");
    }
    for (std::size_t r = 0; r < rows; ++r) check_row(probs.data() + r * vocab, vocab, r);

    if (rows == 0) return;

    const auto draw = [&](auto exponential) {
        for (std::size_t r = 0; r < rows; ++r) ids[r] = race(exponential, probs.data() + r * vocab, vocab);
    };
    if (stream_ == RngStream::torch_mkl) {
        draw(MklExponential(*this));
    } else {
        draw(TorchExponential(*this));
    }
}

}  // namespace mm
