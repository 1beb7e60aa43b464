// Elementary functions that give the same bits on every target.
//
// The C libraries of the native and the WebAssembly build round `log` differently in rare cases; whatever a
// result of the lab hangs on uses these instead. They need IEEE double arithmetic in round-to-nearest without
// fused multiply-add (the build sets -ffp-contract=off), and nothing else: no libm, no rounding-mode changes.
#pragma once

namespace mm {

/// Natural logarithm, as good as correctly rounded: the value before the final rounding is within 2^-66
/// (relative) of ln(x), so the result is the double nearest to ln(x) unless ln(x) lies within about 2^-13 ulp
/// of the middle of two doubles. Special values as in C: log(1) = +0, log(±0) = −inf, log(x < 0) = NaN,
/// log(inf) = inf, log(NaN) = NaN.
///
/// Any libm's `log` (PyTorch calls glibc's) is within 1 ulp of this. Rounded to float32 the two can differ
/// only where a float32 rounding boundary falls between two neighbouring doubles: fewer than one draw in
/// 2^29.
double exact_log(double x);

}  // namespace mm
