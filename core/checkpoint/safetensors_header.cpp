#include "core/checkpoint/safetensors_header.hpp"

#include <limits>
#include <utility>

#include "core/base/join.hpp"
#include "core/base/json.hpp"

namespace mm {
namespace {

constexpr std::size_t kMaxDims = 64;
// Seven values a tensor: more tensors than the header's limit of bytes has room for.
constexpr JsonLimits kLimits{.max_values = 1'500'000};

Json parse_header(std::string_view text) {
    try {
        return parse_json(text, "", kLimits);
    } catch (const Error& error) {
        const std::string& key = error.context().field;
        throw_error(error.kind(), error.message(),
                    {.field = key.empty() ? "header" : join({"header: ", key})});
    }
}

void check_metadata(const Json& metadata) {
    const auto fail = [](std::string_view message) {
        throw_error(ErrorKind::format, message, {.field = "__metadata__"});
    };
    if (!metadata.is_object()) fail("expected an object");
    for (const auto& [key, value] : metadata.items()) {
        if (!value.is_string()) fail(join({key, ": expected a string"}));
    }
}

SafetensorsInfo read_tensor(const std::string& name, const Json& header) {
    const auto fail = [&](std::string_view field, std::string_view message) {
        throw_error(ErrorKind::format, message, {.tensor = name, .field = field});
    };
    if (!header.is_object()) fail("header", "expected an object");
    const auto field = [&](const char* key) -> const Json& {
        const auto found = header.find(key);
        if (found == header.end()) fail(key, "is missing");
        return *found;
    };
    const auto numbers = [&](const char* key) {
        const Json& list = field(key);
        if (!list.is_array()) fail(key, "expected a list");
        std::vector<std::uint64_t> out;
        for (const Json& item : list) {
            if (!item.is_number_unsigned()) fail(key, "expected whole numbers, 0 or above");
            out.push_back(item.get<std::uint64_t>());
        }
        return out;
    };

    SafetensorsInfo tensor;
    tensor.name = name;
    const Json& dtype = field("dtype");
    if (!dtype.is_string()) fail("dtype", "expected a string");
    tensor.type = find_safetensors_type(dtype.get_ref<const std::string&>());
    if (tensor.type == nullptr) {
        fail("dtype", join({dtype.get_ref<const std::string&>(), " is not a dtype of safetensors"}));
    }
    for (const std::uint64_t size : numbers("shape")) {
        if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            fail("shape", join({size, " is too large"}));
        }
        if (tensor.shape.size() == kMaxDims) fail("shape", join({"has more than ", kMaxDims, " dimensions"}));
        tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    tensor.data_offsets = numbers("data_offsets");
    if (tensor.data_offsets.size() != 2) fail("data_offsets", "expected two numbers");
    return tensor;
}

}  // namespace

std::vector<SafetensorsInfo> read_safetensors_header(std::string_view json) {
    const Json header = parse_header(json);
    if (!header.is_object()) throw_error(ErrorKind::format, "is not a JSON object", {.field = "header"});
    std::vector<SafetensorsInfo> tensors;
    for (const auto& [name, value] : header.items()) {
        if (name == "__metadata__") {
            check_metadata(value);
        } else {
            tensors.push_back(read_tensor(name, value));
        }
    }
    return tensors;
}

}  // namespace mm
