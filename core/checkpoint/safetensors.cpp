// Header length (u64), JSON header {name: {dtype, shape, data_offsets}}, data; everything is checked before
// use.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/json.hpp"
#include "core/checkpoint/element_types.hpp"
#include "core/checkpoint/names.hpp"
#include "core/checkpoint/readers.hpp"
#include "core/checkpoint/tensor_bounds.hpp"

namespace mm {
namespace {

// The format allows 100 MB; a header has some 100 bytes a tensor, and parsing takes many times its size.
constexpr std::uint64_t kMaxHeader = std::uint64_t{8} << 20;

struct Tensor {
    std::string name;
    const ElementType* type = nullptr;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

[[noreturn]] void fail(const char* field, std::string message) {
    throw Error(ErrorKind::format, std::move(message), {.field = field});
}

Json read_header(Bytes bytes, std::uint64_t& data_begin) {
    constexpr const char* kLength = "header length";
    const auto length = load_le<std::uint64_t>(bytes, 0, kLength);
    if (length > bytes.size() - 8) {
        fail(kLength, std::to_string(length) + " bytes, the file has " + std::to_string(bytes.size()));
    }
    if (length > kMaxHeader) {
        throw Error(ErrorKind::unsupported,
                    std::to_string(length) + " bytes are over the limit of " + std::to_string(kMaxHeader),
                    {.field = kLength});
    }
    data_begin = 8 + length;
    Json header;
    try {
        // name → tensor → list of sizes
        header =
            parse_json(as_text(bytes.subspan(8, static_cast<std::size_t>(length))), "", {.max_depth = 8});
    } catch (const Error& error) {
        const std::string& key = error.context().field;
        fail("header", key.empty() ? error.message() : key + ": " + error.message());
    }
    if (!header.is_object()) fail("header", "is not a JSON object");
    return header;
}

void check_metadata(const Json& metadata) {
    constexpr const char* kField = "__metadata__";
    if (!metadata.is_object()) fail(kField, "is not an object");
    for (const auto& item : metadata.items()) {
        if (!item.value().is_string()) fail(kField, item.key() + " is not a text");
    }
}

std::vector<std::uint64_t> naturals(const Json& info, const char* field) {
    const auto found = info.find(field);
    if (found == info.end()) fail(field, "is missing");
    if (!found->is_array()) fail(field, "is not a list");
    std::vector<std::uint64_t> values;
    for (const Json& value : *found) {
        if (!value.is_number_unsigned())
            fail(field, found->dump() + " has an entry that is no natural number");
        values.push_back(value.get<std::uint64_t>());
    }
    return values;
}

Tensor read_tensor(const std::string& name, const Json& info, std::uint64_t data_size) {
    if (!info.is_object()) fail("header", "is not an object");
    Tensor tensor;
    tensor.name = name;
    const auto dtype = info.find("dtype");
    if (dtype == info.end() || !dtype->is_string()) fail("dtype", "is missing or no text");
    tensor.type = find_safetensors_type(dtype->get_ref<const std::string&>());
    if (tensor.type == nullptr)
        fail("dtype", dtype->get_ref<const std::string&>() + " is no type of the format");
    for (const std::uint64_t size : naturals(info, "shape")) {
        if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            fail("shape", std::to_string(size) + " is too large");
        }
        tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    const std::vector<std::uint64_t> offsets = naturals(info, "data_offsets");
    if (offsets.size() != 2) fail("data_offsets", "are not two numbers");
    tensor.begin = offsets[0];
    tensor.end = offsets[1];
    const std::string range = info["data_offsets"].dump();
    if (tensor.begin > tensor.end) fail("data_offsets", range + " end before they begin");
    if (tensor.end > data_size) {
        fail("data_offsets",
             range + " reach past the data, which has " + std::to_string(data_size) + " bytes");
    }
    const std::int64_t numel = checked_numel(tensor.shape, "shape");
    const std::uint64_t bytes = tensor.end - tensor.begin;
    if (static_cast<std::uint64_t>(numel) > (std::uint64_t{1} << 56) ||
        static_cast<std::uint64_t>(numel) * tensor.type->bits != bytes * 8) {
        fail("shape", shape_string(tensor.shape) + " of " + std::string(tensor.type->safetensors) +
                          " does not fit its " + std::to_string(bytes) + " bytes");
    }
    return tensor;
}

// The format forbids overlaps and gaps: every byte of the data belongs to exactly one tensor.
void check_cover(std::vector<Tensor> tensors, std::uint64_t data_size) {
    std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    std::uint64_t covered = 0;
    for (const Tensor& tensor : tensors) {
        if (tensor.begin != covered) {
            throw Error(ErrorKind::format,
                        "begin at " + std::to_string(tensor.begin) + ", the tensor before ends at " +
                            std::to_string(covered) + (tensor.begin < covered ? " (overlap)" : " (gap)"),
                        {.tensor = tensor.name, .field = "data_offsets"});
        }
        covered = tensor.end;
    }
    if (covered != data_size) {
        fail("data_offsets", "the last tensor ends at " + std::to_string(covered) + ", the data at " +
                                 std::to_string(data_size));
    }
}

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
    return strides;
}

}  // namespace

TensorTable read_safetensors(Bytes bytes, const std::string& file) {
    std::uint64_t data_begin = 0;
    const Json header = read_header(bytes, data_begin);
    const Bytes data = bytes.subspan(static_cast<std::size_t>(data_begin));
    std::vector<Tensor> tensors;
    for (const auto& item : header.items()) {
        if (item.key() == "__metadata__") {
            check_metadata(item.value());
            continue;
        }
        try {
            tensors.push_back(read_tensor(item.key(), item.value(), data.size()));
        } catch (const Error& error) {
            throw error.with_tensor(item.key());
        }
    }
    check_cover(tensors, data.size());

    TensorTable table(file, "safetensors");
    std::vector<std::string> names;
    for (const Tensor& tensor : tensors) names.push_back(tensor.name);
    names = unwrapped_names(std::move(names));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = tensors[i];
        if (!tensor.type->dtype) {
            table.add_foreign(names[i], std::string(tensor.type->torch), tensor.shape);
            continue;
        }
        table.add(names[i], {*tensor.type->dtype, tensor.shape, row_major(tensor.shape),
                             data.data() + tensor.begin, data_begin + tensor.begin});
    }
    return table;
}

}  // namespace mm
