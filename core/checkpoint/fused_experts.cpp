#include "core/checkpoint/fused_experts.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/join.hpp"

namespace mm {
namespace {

constexpr std::string_view kGateUp = ".experts.gate_up_proj";
constexpr std::string_view kDown = ".experts.down_proj";
// Each matrix is an entry of the table, and a file of few bytes can claim many.
constexpr std::int64_t kMostParts = 100'000;

/// What stands before kGateUp or kDown in such a name; empty in others.
std::string layer_of(std::string_view name) {
    for (const std::string_view end : {kGateUp, kDown}) {
        if (name.ends_with(end)) return std::string(name.substr(0, name.size() - end.size()));
    }
    return {};
}

/// Layers whose two tensors are there and fit one another.
std::set<std::string> fused_layers(const TensorTable& table) {
    std::set<std::string> layers;
    std::int64_t parts = 0;
    for (const TensorTable::Entry& gate_up : table.entries()) {
        if (!gate_up.name.ends_with(kGateUp) || !gate_up.view || gate_up.shape.size() != 3) continue;
        const std::string layer = layer_of(gate_up.name);
        const TensorTable::Entry* down = table.entry(join({layer, kDown}));
        const std::int64_t experts = gate_up.shape[0];
        const std::vector<std::int64_t> expected = {experts, gate_up.shape[2], gate_up.shape[1] / 2};
        if (down == nullptr || !down->view || down->shape != expected || gate_up.shape[1] % 2 != 0) continue;
        if (experts > (kMostParts - parts) / 3) break;
        parts += 3 * experts;
        layers.insert(layer);
    }
    return layers;
}

/// Rows first … first + rows − 1 of one expert's matrix.
TensorTable::Entry part_of(const TensorTable::Entry& all, std::string name, std::int64_t expert,
                           std::int64_t first, std::int64_t rows) {
    const TensorView& whole = *all.view;
    TensorView view{whole.dtype, {rows, all.shape[2]}, {whole.strides[1], whole.strides[2]}, whole.data};
    const auto offset = static_cast<std::uint64_t>(expert * whole.strides[0] + first * whole.strides[1]) *
                        item_size(whole.dtype);
    if (view.numel() > 0) view.data += offset;
    return {std::move(name), all.dtype, view.shape, std::move(view), all.file};
}

}  // namespace

TensorTable split_fused_experts(TensorTable table) {
    const std::set<std::string> layers = fused_layers(table);
    if (layers.empty()) return table;
    std::vector<TensorTable::Entry> entries;
    for (const TensorTable::Entry& entry : table.entries()) {
        const std::string layer = layer_of(entry.name);
        if (layers.count(layer) == 0) {
            entries.push_back(entry);
            continue;
        }
        const bool down = entry.name.ends_with(kDown);
        const std::int64_t rows = down ? entry.shape[1] : entry.shape[1] / 2;
        for (std::int64_t e = 0; e < entry.shape[0]; ++e) {
            const auto name = [&](const char* matrix) { return join({layer, ".experts.", e, matrix}); };
            if (down) {
                entries.push_back(part_of(entry, name(".down_proj.weight"), e, 0, rows));
            } else {
                entries.push_back(part_of(entry, name(".gate_proj.weight"), e, 0, rows));
                entries.push_back(part_of(entry, name(".up_proj.weight"), e, rows, rows));
            }
        }
    }
    return table.with(std::move(entries));
}

}  // namespace mm
