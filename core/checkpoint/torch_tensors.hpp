// What a pickle of torch.save says about tensors: which globals it may name, where tensors lie in their
// storages, which of its dicts is the state dict.
//
// Between the pickle (pickle_tree.hpp) and the two containers that hold storages (torch_zip.cpp,
// torch_legacy.cpp). PyTorch's counterparts: torch/_weights_only_unpickler.py, torch/_utils.py `_rebuild_*`.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/bytes.hpp"
#include "core/checkpoint/element_types.hpp"
#include "core/checkpoint/pickle_tree.hpp"
#include "core/checkpoint/tensor_table.hpp"

namespace mm {

/// True for the globals that a checkpoint may name: PyTorch's own list for `weights_only=True`, without those
/// that rebuild kinds of tensors no weight has (sparse, nested, quantised, meta).
bool is_torch_global(std::string_view full_name);

/// A persistent id: ("storage", class, key, location, numel), in old files with a view
/// (view key, offset, size) behind it. Where it was when saved ("cuda:0") makes no difference.
struct StorageId {
    const ElementType* type = nullptr;
    std::string_view key;
    std::uint64_t bytes = 0;       // of the whole storage, as claimed
    bool is_view = false;          // the very old form: only a part of the storage
    std::uint64_t view_begin = 0;  // byte offset inside of the storage
    std::uint64_t view_bytes = 0;
};

/// Reads a persistent id.
/// @throws Error{format} field "storage", "storage key", "storage numel" or "storage view".
StorageId read_storage_id(const PickleTree& tree, PickleTree::Ref ref);

/// Finds the bytes of a storage in its container; throws Error field "storage key" when there are none.
using FindStorage = std::function<Bytes(const StorageId&)>;

/// Adds every tensor of the state dict in `tree` to `table`: the dict itself, or the one under "model",
/// "state_dict", "model_state_dict", "module" or "net" in a training checkpoint, whose other values are not
/// looked at.
/// @throws Error naming tensor and field.
void add_state_dict(const PickleTree& tree, Bytes file, const FindStorage& find_storage, TensorTable& table);

}  // namespace mm
