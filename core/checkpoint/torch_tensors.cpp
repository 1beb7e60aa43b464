#include "core/checkpoint/torch_tensors.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/join.hpp"
#include "core/base/utf8.hpp"
#include "core/checkpoint/names.hpp"
#include "core/checkpoint/tensor_bounds.hpp"

namespace mm {
namespace {

using Ref = PickleTree::Ref;
using Kind = PickleTree::Kind;

constexpr std::string_view kGlobals[] = {
    "collections.OrderedDict",
    "collections.Counter",
    "collections.defaultdict",
    "builtins.dict",
    "builtins.set",
    "builtins.frozenset",
    "builtins.bytearray",
    "builtins.complex",
    "builtins.list",
    "builtins.int",
    "builtins.float",
    "__builtin__.dict",
    "__builtin__.set",
    "__builtin__.frozenset",
    "__builtin__.bytearray",
    "__builtin__.complex",
    "__builtin__.list",
    "__builtin__.int",
    "__builtin__.float",
    "_codecs.encode",
    "torch.Size",
    "torch.Tensor",
    "torch.device",
    "torch.nn.parameter.Parameter",
    "torch.serialization._get_layout",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch._tensor._rebuild_from_type",
    "torch._tensor._rebuild_from_type_v2",
    "torch.tensor._rebuild_from_type",
};

constexpr std::string_view kTorch = "torch.";
constexpr std::string_view kStorageModules[] = {"torch.", "torch.cuda.", "torch.storage."};

// "torch.cuda.HalfStorage" → "HalfStorage"; empty for anything else.
std::string_view storage_class(std::string_view global) {
    for (const std::string_view module : kStorageModules) {
        if (!global.starts_with(module)) continue;
        const std::string_view name = global.substr(module.size());
        if (name.find('.') == std::string_view::npos && name.ends_with("Storage")) return name;
    }
    return {};
}

[[noreturn]] void fail(const char* field, std::string_view message) {
    throw_error(ErrorKind::format, message, {.field = field});
}

// The function of torch._utils that makes a tensor, and its arguments, behind nn.Parameter and other
// wrappers.
struct Rebuild {
    std::string_view function;
    std::span<const Ref> arguments;
};

std::optional<Rebuild> unwrap(const PickleTree& tree, Ref ref) {
    constexpr int kMaxWrappers = 8;
    Rebuild rebuild{tree.callee(ref), tree.arguments(ref)};
    for (int i = 0; i < kMaxWrappers; ++i) {
        const auto& [function, arguments] = rebuild;
        if (function.starts_with("torch._utils._rebuild_tensor")) return rebuild;
        if (arguments.empty()) return std::nullopt;
        if (function == "torch._utils._rebuild_parameter" ||
            function == "torch._utils._rebuild_parameter_with_state" ||
            function == "torch._utils._rebuild_device_tensor_from_cpu_tensor" ||
            function == "torch.nn.parameter.Parameter") {
            rebuild = {tree.callee(arguments[0]), tree.arguments(arguments[0])};
        } else if (function.find("_rebuild_from_type") != std::string_view::npos && arguments.size() >= 3) {
            // (function, type, arguments, attributes): a tensor that somebody gave attributes.
            rebuild = {tree.text(arguments[0]), tree.items(arguments[2])};
        } else {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::int64_t integer(const PickleTree& tree, Ref ref, const char* field) {
    if (tree.kind(ref) == Kind::big_integer) fail(field, "has a number of more than 64 bits");
    if (tree.kind(ref) != Kind::integer) fail(field, join({"is ", to_string(tree.kind(ref))}));
    return tree.integer(ref);
}

std::vector<std::int64_t> integers(const PickleTree& tree, Ref ref, const char* field) {
    constexpr std::size_t kMaxDims = 64;  // as many as PyTorch's operators allow
    if (tree.callee(ref) == "torch.Size" && tree.arguments(ref).size() == 1) ref = tree.arguments(ref)[0];
    if (tree.kind(ref) != Kind::tuple && tree.kind(ref) != Kind::list) {
        fail(field, join({"is ", to_string(tree.kind(ref))}));
    }
    if (tree.items(ref).size() > kMaxDims) fail(field, "has more than 64 dimensions");
    std::vector<std::int64_t> values;
    for (const Ref item : tree.items(ref)) values.push_back(integer(tree, item, field));
    return values;
}

// Flags of a view that changes values ("neg", "conj"): bits of the tensor, not of its bytes.
void refuse_metadata(const PickleTree& tree, Ref ref) {
    const std::span<const Ref> items = tree.items(ref);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (tree.kind(items[i + 1]) == Kind::boolean && tree.integer(items[i + 1]) != 0) {
            throw_error(ErrorKind::unsupported, "negated and conjugated views are not read",
                        {.field = join({"metadata ", tree.text(items[i])})});
        }
    }
}

std::uint64_t storage_bytes(std::int64_t numel, const ElementType& type, const char* field) {
    if (numel < 0) fail(field, join({numel, " is negative"}));
    const std::uint64_t item = type.bits / 8;
    if (static_cast<std::uint64_t>(numel) > std::numeric_limits<std::uint64_t>::max() / item) {
        fail(field, join({numel, " overflows"}));
    }
    return static_cast<std::uint64_t>(numel) * item;
}

class StateDictReader {
  public:
    StateDictReader(const PickleTree& tree, Bytes file, const FindStorage& find_storage, TensorTable& table)
        : tree_(tree), file_(file), find_storage_(find_storage), table_(table) {}

    void add(const std::string& name, const Rebuild& rebuild) {
        // (storage, offset, size, stride[, requires_grad, hooks[, metadata]]); v3 has a dtype before
        // metadata.
        const auto& [function, arguments] = rebuild;
        const bool v3 = function.ends_with("_v3");
        if (arguments.size() < (v3 ? 7U : 4U)) fail("pickle", join({function, " has too few arguments"}));
        const StorageId id = read_storage_id(tree_, arguments[0]);
        const ElementType* type = v3 ? dtype(arguments[6]) : id.type;
        if (const std::size_t metadata = v3 ? 7 : 6; arguments.size() > metadata) {
            refuse_metadata(tree_, arguments[metadata]);
        }
        TensorClaim claim{type->dtype.value_or(DType::u8), integers(tree_, arguments[2], "size"),
                          integers(tree_, arguments[3], "stride"),
                          integer(tree_, arguments[1], "storage_offset")};
        if (!type->dtype) {
            checked_numel(claim.shape, "size");
            table_.add_foreign(name, type->torch, claim.shape);
            return;
        }
        Bytes storage = find_storage_(id);
        if (storage.size() < id.bytes) {
            fail("storage numel",
                 join({"claims ", id.bytes, " bytes, the file has ", storage.size(), " for the storage"}));
        }
        storage = storage.first(static_cast<std::size_t>(id.bytes));
        if (id.is_view) storage = slice(storage, id.view_begin, id.view_bytes, "storage view");
        TensorView view = bounded_view(claim, storage, file_);
        claimed_ += static_cast<std::uint64_t>(view.numel()) * item_size(view.dtype);
        if (claimed_ / kMaxSharing > file_.size()) {
            fail("size", join({"all tensors up to here share their bytes so often that they are ", claimed_,
                               " bytes in a file of ", file_.size()}));
        }
        table_.add(name, std::move(view));
    }

  private:
    // Tied and shared layers are fine; thousands of tensors over the same bytes are meant to fill the memory
    // of whoever copies them. Each alone is at most the file (bounded_view).
    static constexpr std::uint64_t kMaxSharing = 64;

    const ElementType* dtype(Ref ref) const {
        const std::string_view global =
            tree_.kind(ref) == Kind::global ? tree_.text(ref) : std::string_view{};
        const ElementType* type =
            global.starts_with(kTorch) ? find_torch_type(global.substr(kTorch.size())) : nullptr;
        if (type == nullptr) fail("dtype", "unknown dtype");
        return type;
    }

    const PickleTree& tree_;
    Bytes file_;
    const FindStorage& find_storage_;
    TensorTable& table_;
    std::uint64_t claimed_ = 0;
};

struct NamedTensor {
    std::string name;
    Rebuild rebuild;
};

// Tensors under text keys; other values and keys are somebody else's business.
std::vector<NamedTensor> tensors_of(const PickleTree& tree, Ref dict) {
    std::vector<NamedTensor> tensors;
    const std::span<const Ref> pairs = tree.items(dict);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (tree.kind(pairs[i]) != Kind::text) continue;
        if (!is_utf8(tree.text(pairs[i]))) fail("tensor name", "is not UTF-8");
        if (const auto rebuild = unwrap(tree, pairs[i + 1])) {
            tensors.push_back({std::string(tree.text(pairs[i])), *rebuild});
        }
    }
    return tensors;
}

Ref find_state_dict(const PickleTree& tree) {
    const Ref root = tree.root();
    if (tree.kind(root) != Kind::dict) {
        throw_error(ErrorKind::format, join({"holds ", to_string(tree.kind(root)), ", not a state dict"}));
    }
    // Beside these keys there may be tensors that are none of the model's (the state of a random generator).
    // ("module" is DeepSpeed's key.)
    for (const char* key : {"model", "state_dict", "model_state_dict", "module", "net"}) {
        const auto inner = tree.find(root, key);
        if (inner && tree.kind(*inner) == Kind::dict) return *inner;
    }
    return root;
}

}  // namespace

bool is_torch_global(std::string_view full_name) {
    if (std::find(std::begin(kGlobals), std::end(kGlobals), full_name) != std::end(kGlobals)) return true;
    if (const std::string_view name = storage_class(full_name); !name.empty()) {
        return find_storage_type(name) != nullptr || name == "TypedStorage" || name == "_TypedStorage";
    }
    return full_name.starts_with(kTorch) && find_torch_type(full_name.substr(kTorch.size())) != nullptr;
}

StorageId read_storage_id(const PickleTree& tree, Ref ref) {
    if (tree.kind(ref) != Kind::persistent) fail("storage", join({"is ", to_string(tree.kind(ref))}));
    const std::span<const Ref> parts = tree.items(tree.items(ref)[0]);
    if (parts.size() < 5 || tree.text(parts[0]) != "storage") fail("storage", "expected a storage id");
    StorageId id;
    if (tree.kind(parts[1]) == Kind::global) id.type = find_storage_type(storage_class(tree.text(parts[1])));
    if (id.type == nullptr) fail("storage", join({"is of an unknown class ", tree.text(parts[1])}));
    if (tree.kind(parts[2]) != Kind::text) fail("storage key", join({"is ", to_string(tree.kind(parts[2]))}));
    id.key = tree.text(parts[2]);
    id.bytes = storage_bytes(integer(tree, parts[4], "storage numel"), *id.type, "storage numel");
    if (parts.size() > 5 && tree.kind(parts[5]) == Kind::tuple) {
        const std::span<const Ref> view = tree.items(parts[5]);
        if (view.size() != 3) fail("storage view", "is not (key, offset, size)");
        id.is_view = true;
        id.view_begin = storage_bytes(integer(tree, view[1], "storage view"), *id.type, "storage view");
        id.view_bytes = storage_bytes(integer(tree, view[2], "storage view"), *id.type, "storage view");
    }
    return id;
}

void add_state_dict(const PickleTree& tree, Bytes file, const FindStorage& find_storage, TensorTable& table) {
    const std::vector<NamedTensor> tensors = tensors_of(tree, find_state_dict(tree));
    std::vector<std::string> names;
    for (const NamedTensor& tensor : tensors) names.push_back(tensor.name);
    names = unwrapped_names(std::move(names));
    StateDictReader reader(tree, file, find_storage, table);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        try {
            reader.add(names[i], tensors[i].rebuild);
        } catch (const Error& error) {
            throw error.with_tensor(tensors[i].name);
        }
    }
}

}  // namespace mm
