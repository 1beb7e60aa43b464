#include "core/decode/rng_stream.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

constexpr RngStream kStreams[] = {RngStream::torch, RngStream::torch_mkl, RngStream::torch_2_7};
constexpr RngStream kSamplingStreams[] = {RngStream::torch, RngStream::torch_mkl};

}  // namespace

std::string_view to_string(RngStream stream) {
    switch (stream) {
        case RngStream::torch:
            return "torch";
        case RngStream::torch_mkl:
            return "torch-mkl";
        case RngStream::torch_2_7:
            return "torch-2.7";
    }
    throw_error(ErrorKind::internal, "unknown random stream");
}

RngStream parse_rng_stream(std::string_view name) {
    std::string known;
    for (const RngStream stream : kStreams) {
        if (to_string(stream) == name) return stream;
        known += join({known.empty() ? "" : ", ", to_string(stream)});
    }
    throw_error(ErrorKind::range, join({"unknown random stream '", name, "' (known: ", known, ")"}),
                {.field = "rng"});
}

std::span<const RngStream> rng_streams() {
    return kStreams;
}

std::span<const RngStream> sampling_rng_streams() {
    return kSamplingStreams;
}

}  // namespace mm
