// The kernels for x86-64 with AVX-512 F, BW, DQ and VL.
#define MM_LANES 16
#define MM_KERNELS kAvx512Kernels
#include "core/tensor/kernels/all.inc"
