#include <map>

#include "core/base/join.hpp"
#include "core/checkpoint/readers.hpp"
#include "core/checkpoint/torch_tensors.hpp"

namespace mm {
namespace {

using Kind = PickleTree::Kind;

// torch.serialization.MAGIC_NUMBER = 0x1950a86a20f9469cfc6c, as LONG1 writes it.
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kProtocol = 1001;

bool is_magic(const PickleTree& tree) {
    return tree.kind(tree.root()) == Kind::big_integer && tree.text(tree.root()) == kMagic;
}

// The element type that a storage was written with: that of the first tensor which names it.
std::map<std::string_view, StorageId> storages_of(const PickleTree& tree) {
    std::map<std::string_view, StorageId> storages;
    for (PickleTree::Ref ref = 0; ref < tree.size(); ++ref) {
        if (tree.kind(ref) != Kind::persistent) continue;
        const std::span<const PickleTree::Ref> parts = tree.items(tree.items(ref)[0]);
        if (!parts.empty() && tree.text(parts[0]) == "module") continue;  // the source text of a class
        const StorageId id = read_storage_id(tree, ref);
        storages.emplace(id.key, id);
    }
    return storages;
}

}  // namespace

bool is_torch_legacy(Bytes bytes) {
    // Without a PROTO opcode it may be the oldest protocol or any text; the former ends in STOP.
    const std::string_view text = as_text(bytes);
    if (text.empty() || (text.front() != '\x80' && text.back() != '.')) return false;
    std::uint64_t position = 0;
    try {
        return is_magic(read_pickle(bytes, position, is_torch_global));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::unsupported) throw;
        return false;
    }
}

TensorTable read_torch_legacy(Bytes bytes, const std::string& file) {
    std::uint64_t position = 0;
    const auto next = [&] { return read_pickle(bytes, position, is_torch_global); };
    if (!is_magic(next())) throw_error(ErrorKind::format, "is not PyTorch's", {.field = "magic number"});
    const PickleTree protocol = next();
    if (protocol.kind(protocol.root()) != Kind::integer || protocol.integer(protocol.root()) != kProtocol) {
        throw_error(ErrorKind::unsupported, "is not 1001", {.field = "protocol version"});
    }
    next();  // sizes of C types and byte order of the machine; the storages are little-endian in any case
    const PickleTree tree = next();
    const PickleTree keys = next();
    if (keys.kind(keys.root()) != Kind::list) {
        throw_error(ErrorKind::format, "expected a list", {.field = "storage keys"});
    }

    // Each storage: its number of elements (int64), then the elements.
    const std::map<std::string_view, StorageId> ids = storages_of(tree);
    std::map<std::string_view, Bytes> storages;
    for (const PickleTree::Ref key : keys.items(keys.root())) {
        const auto id = ids.find(keys.text(key));
        if (id == ids.end()) {
            throw_error(ErrorKind::format, join({keys.text(key), " is not a storage of the saved object"}),
                        {.field = "storage keys"});
        }
        const std::string field = join({"storage ", id->first});
        const auto numel = load_le<std::uint64_t>(bytes, position, field);
        const std::uint64_t item = id->second.type->bits / 8;
        if (numel != id->second.bytes / item) {
            throw_error(ErrorKind::format,
                        join({"has ", numel, " elements, the object names ", id->second.bytes / item}),
                        {.field = field});
        }
        const Bytes data = slice(bytes, position + 8, id->second.bytes, field);
        storages.emplace(id->first, data);
        position += 8 + data.size();
    }

    TensorTable table(file, "torch legacy");
    const auto find_storage = [&](const StorageId& id) {
        const auto found = storages.find(id.key);
        if (found == storages.end()) {
            throw_error(ErrorKind::format, join({id.key, " is not in the file"}), {.field = "storage key"});
        }
        return found->second;
    };
    add_state_dict(tree, bytes, find_storage, table);
    return table;
}

}  // namespace mm
