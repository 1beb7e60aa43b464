// Sine and cosine for rotary embeddings, by our own arithmetic: libm's differ between glibc and musl.
//
// Reads a float32 angle (position × frequency, already rounded as MiniMind rounds it) and gives the exact
// value's float32, nearly always correctly rounded. Called once for each table entry, not in kernels.
#pragma once

namespace mm {

struct SinCos {
    float sin;
    float cos;
};

/// sin and cos of any finite angle in radians: computed in double with a relative error below 2^-50 (however
/// near a multiple of π/2) and rounded once to float32. NaN for NaN and infinities.
SinCos sin_cos(float angle);

}  // namespace mm
