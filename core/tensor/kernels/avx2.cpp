// The kernels for x86-64 with AVX2 and F16C.
#define MM_LANES 8
#define MM_KERNELS kAvx2Kernels
#include "core/tensor/kernels/all.inc"
