// Somebody else's program: the first output of mt19937 after seed 0, as PyTorch, NumPy and the standard have
// it.
#include "core/decode/torch_generator.hpp"
#include "core/tensor/linear.hpp"

int main() {
    mm::TorchGenerator generator;
    generator.manual_seed(0);
    return generator.random_u32() == 2357136044U ? 0 : 1;
}
