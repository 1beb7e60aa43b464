// Header length (u64), JSON header {name: {dtype, shape, data_offsets}}, data; everything is checked before
// use.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/heap_sort.hpp"
#include "core/base/join.hpp"
#include "core/checkpoint/names.hpp"
#include "core/checkpoint/readers.hpp"
#include "core/checkpoint/safetensors_header.hpp"
#include "core/checkpoint/tensor_bounds.hpp"

namespace mm {
namespace {

// The format allows 100 MB; a header has some 100 bytes a tensor.
constexpr std::uint64_t kMaxHeader = std::uint64_t{8} << 20;

[[noreturn]] void fail(const char* field, std::string_view message) {
    throw_error(ErrorKind::format, message, {.field = field});
}

std::string_view header_of(Bytes bytes) {
    constexpr const char* kLength = "header length";
    const auto length = load_le<std::uint64_t>(bytes, 0, kLength);
    if (length > bytes.size() - 8) {
        fail(kLength, join({length, " bytes, the file has ", bytes.size()}));
    }
    if (length > kMaxHeader) {
        throw_error(ErrorKind::unsupported, join({length, " bytes are over the limit of ", kMaxHeader}),
                    {.field = kLength});
    }
    return as_text(bytes.subspan(8, static_cast<std::size_t>(length)));
}

void check_extent(const SafetensorsInfo& tensor, std::uint64_t data_size) {
    const auto [begin, end] = std::pair{tensor.data_offsets[0], tensor.data_offsets[1]};
    const std::string range = join({begin, " to ", end});
    if (begin > end) fail("data_offsets", join({range, " end before they begin"}));
    if (end > data_size) {
        fail("data_offsets", join({range, " reach past the data, which has ", data_size, " bytes"}));
    }
    const auto numel = static_cast<std::uint64_t>(checked_numel(tensor.shape, "shape"));
    const std::uint64_t bytes = end - begin;
    constexpr std::uint64_t kMaxNumel = std::uint64_t{1} << 56;  // bits do not overflow
    if (numel > kMaxNumel || numel * tensor.type->bits != bytes * 8) {
        fail("shape", join({shape_string(tensor.shape), " of ", tensor.type->safetensors,
                            " does not fit its ", bytes, " bytes"}));
    }
}

// The format forbids overlaps and gaps: every byte of the data belongs to exactly one tensor.
void check_cover(std::vector<const SafetensorsInfo*> tensors, std::uint64_t data_size) {
    // They stand in one list: of equals, the file's first comes first.
    heap_sort(tensors, [](const SafetensorsInfo* a, const SafetensorsInfo* b) {
        return a->data_offsets != b->data_offsets ? a->data_offsets < b->data_offsets : std::less<>()(a, b);
    });
    std::uint64_t covered = 0;
    for (const SafetensorsInfo* tensor : tensors) {
        const std::uint64_t begin = tensor->data_offsets[0];
        if (begin != covered) {
            throw_error(ErrorKind::format,
                        join({"begin at ", begin, ", the tensor before ends at ", covered,
                              begin < covered ? " (overlap)" : " (gap)"}),
                        {.tensor = tensor->name, .field = "data_offsets"});
        }
        covered = tensor->data_offsets[1];
    }
    if (covered != data_size) {
        fail("data_offsets", join({"the last tensor ends at ", covered, ", the data at ", data_size}));
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
    const std::string_view header = header_of(bytes);
    const Bytes data = bytes.subspan(8 + header.size());
    const std::vector<SafetensorsInfo> tensors = read_safetensors_header(header);
    std::vector<const SafetensorsInfo*> order;
    std::vector<std::string> names;
    for (const SafetensorsInfo& tensor : tensors) {
        try {
            check_extent(tensor, data.size());
        } catch (const Error& error) {
            throw error.with_tensor(tensor.name);
        }
        order.push_back(&tensor);
        names.push_back(tensor.name);
    }
    check_cover(std::move(order), data.size());

    TensorTable table(file, "safetensors");
    names = unwrapped_names(std::move(names));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const SafetensorsInfo& tensor = tensors[i];
        const std::uint64_t begin = tensor.data_offsets[0];
        if (!tensor.type->dtype) {
            table.add_foreign(names[i], tensor.type->torch, tensor.shape);
        } else {
            table.add(names[i],
                      {*tensor.type->dtype, tensor.shape, row_major(tensor.shape), data.data() + begin});
        }
    }
    return table;
}

}  // namespace mm
