// The JSON header of a safetensors file: one small struct a tensor.
//
// Nothing in a header is trusted. What its numbers mean for the data is checked in safetensors.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/element_types.hpp"

namespace mm {

struct SafetensorsInfo {
    std::string name;
    const ElementType* type = nullptr;
    std::vector<std::int64_t> shape;
    std::vector<std::uint64_t> data_offsets;  // begin and end, in bytes from the end of the header
};

/// Reads {name: {"dtype": …, "shape": […], "data_offsets": […]}, "__metadata__": {text: text}}, in the order
/// of the header. Further fields of a tensor are ignored, as the reference reader does.
/// @throws Error{format} naming the tensor and the field, or the field "header" where it is not such JSON.
std::vector<SafetensorsInfo> read_safetensors_header(std::string_view json);

}  // namespace mm
