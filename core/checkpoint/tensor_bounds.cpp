#include "core/checkpoint/tensor_bounds.hpp"

#include <limits>
#include <string>

#include "core/base/join.hpp"
#include "core/checkpoint/tensor_table.hpp"

namespace mm {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail(const char* field, std::string_view message) {
    throw_error(ErrorKind::format, message, {.field = field});
}

// Index of the last element, counted from the first: Σ (size − 1) · stride.
std::int64_t last_index(const TensorClaim& claim) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < claim.shape.size(); ++i) {
        const std::int64_t steps = claim.shape[i] - 1;
        const std::int64_t stride = claim.strides[i];
        if (steps == 0 || stride == 0) continue;
        if (stride > (kMax - last) / steps) fail("stride", join({shape_string(claim.strides), " overflows"}));
        last += steps * stride;
    }
    return last;
}

}  // namespace

std::int64_t checked_numel(const std::vector<std::int64_t>& shape, const char* field) {
    std::int64_t product = 1;
    bool empty = false;
    for (const std::int64_t size : shape) {
        if (size < 0) fail(field, join({shape_string(shape), " has a negative entry"}));
        if (size == 0) {
            empty = true;
        } else {
            if (product > kMax / size) fail(field, join({shape_string(shape), " overflows 64 bits"}));
            product *= size;
        }
    }
    return empty ? 0 : product;
}

TensorView bounded_view(const TensorClaim& claim, Bytes storage, Bytes file) {
    if (claim.shape.size() != claim.strides.size()) {
        fail("stride", join({shape_string(claim.strides), " has not as many entries as size ",
                             shape_string(claim.shape)}));
    }
    const std::int64_t numel = checked_numel(claim.shape, "size");
    for (const std::int64_t stride : claim.strides) {
        if (stride < 0) fail("stride", join({shape_string(claim.strides), " is negative"}));
    }
    if (claim.offset < 0) fail("storage_offset", join({claim.offset, " is negative"}));

    TensorView view{claim.dtype, claim.shape, claim.strides, storage.data()};
    if (numel > 0) {
        const auto item = static_cast<std::int64_t>(item_size(claim.dtype));
        const auto held = static_cast<std::int64_t>(storage.size()) / item;
        const std::string has = join({"the storage has ", held, " elements"});
        const std::int64_t last = last_index(claim);
        if (claim.offset >= held || last >= held - claim.offset) {
            // Blame what is wrong even if the rest were as plain as can be.
            const std::string range = join({"elements ", claim.offset, " to ", claim.offset, " + ", last});
            if (numel > held) fail("size", join({shape_string(claim.shape), " is too large: ", has}));
            if (claim.offset > held - numel) {
                fail("storage_offset", join({claim.offset, " leaves too few elements: ", has}));
            }
            fail("stride", join({shape_string(claim.strides), " leads past the end: ", range, ", ", has}));
        }
        if (numel > static_cast<std::int64_t>(file.size()) / item) {
            fail("size", join({shape_string(claim.shape), " would be more bytes than the file has"}));
        }
        view.data += claim.offset * item;
    }
    return view;
}

}  // namespace mm
