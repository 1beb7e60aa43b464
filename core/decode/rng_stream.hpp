// Which PyTorch's random numbers to follow. For one seed the releases do not all draw the same.
//
// `TorchGenerator` implements the streams. README.md in this folder tells what was measured of each release.
#pragma once

#include <span>
#include <string_view>

namespace mm {

enum class RngStream {
    torch,      // "torch": releases before 2.0; the reference stream
    torch_mkl,  // "torch-mkl": 2.0 to 2.6 built with MKL (PyPI's x86-64 wheels): exponential_ and
                // multinomial differ
    torch_2_7,  // "torch-2.7": from 2.7 on: as `torch` but for randint with a range of 2^28 or more
};

/// The name users give: "torch", "torch-mkl", "torch-2.7".
std::string_view to_string(RngStream stream);

/// @throws Error{range} that lists the names.
RngStream parse_rng_stream(std::string_view name);

/// Every stream, `torch` first.
std::span<const RngStream> rng_streams();

/// One stream for each way of sampling tokens: those whose `multinomial` differs. `torch-2.7` samples as
/// `torch` does.
std::span<const RngStream> sampling_rng_streams();

}  // namespace mm
