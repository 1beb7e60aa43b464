// The kernels for every processor of the target: SSE2, NEON or wasm SIMD128.
#define MM_LANES 4
#define MM_KERNELS kBaselineKernels
#include "core/tensor/kernels/all.inc"
