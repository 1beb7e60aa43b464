#include "core/model/memory_needs.hpp"

#include <string_view>

#include "core/model/tensor_names.hpp"
#include "core/tensor/packed_matrix.hpp"

namespace mm {

std::uint64_t weight_bytes(const TensorTable& table, const ModelConfig& config) {
    std::uint64_t sum = 0;
    for (const TensorTable::Entry& entry : table.entries()) {
        const bool tied_head = config.tie_word_embeddings && entry.name == names::kLmHead;
        if (!entry.view || tied_head || names::is_rotary_table(entry.name)) continue;
        const std::vector<std::int64_t>& shape = entry.shape;
        if (shape.size() == 1) {
            sum += static_cast<std::uint64_t>(shape[0]) * sizeof(float);
        } else if (shape.size() == 2) {
            constexpr std::uint64_t kPanel = PackedMatrix::kPanel;
            const std::uint64_t rows = (static_cast<std::uint64_t>(shape[0]) + kPanel - 1) / kPanel * kPanel;
            sum += rows * static_cast<std::uint64_t>(shape[1]) * item_size(entry.view->dtype);
        }
    }
    return sum;
}

}  // namespace mm
