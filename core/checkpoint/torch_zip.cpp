#include <optional>

#include "core/base/join.hpp"
#include "core/checkpoint/readers.hpp"
#include "core/checkpoint/torch_tensors.hpp"
#include "core/checkpoint/zip.hpp"

namespace mm {
namespace {

constexpr std::string_view kPickle = "data.pkl";

// All records of a file lie in one folder, named after the file or "archive". An archive packed again by hand
// may hold further folders ("__MACOSX/…"): the shortest path to a data.pkl is the checkpoint's.
std::string find_folder(const Zip& zip) {
    std::optional<std::string_view> shortest;
    for (const std::string_view name : zip.names()) {
        const bool fits =
            name == kPickle || (name.ends_with(kPickle) && name[name.size() - kPickle.size() - 1] == '/');
        if (fits && (!shortest || name.size() < shortest->size())) shortest = name;
    }
    if (!shortest) {
        throw_error(ErrorKind::format, "a zip archive without data.pkl, so not a checkpoint of torch.save");
    }
    return std::string(shortest->substr(0, shortest->size() - kPickle.size()));
}

void check_byte_order(const Zip& zip, const std::string& folder) {
    const std::optional<Bytes> record = zip.record(join({folder, "byteorder"}));
    if (!record || as_text(*record) == "little") return;
    if (as_text(*record) == "big") {
        throw_error(ErrorKind::unsupported,
                    "big: saved on a big-endian machine; only little-endian files are read",
                    {.field = "byteorder"});
    }
    throw_error(ErrorKind::format, "neither little nor big", {.field = "byteorder"});
}

}  // namespace

TensorTable read_torch_zip(Bytes bytes, const std::string& file) {
    const Zip zip(bytes);
    const std::string folder = find_folder(zip);
    if (zip.record(join({folder, "constants.pkl"}))) {
        throw_error(ErrorKind::unsupported, "a TorchScript program (torch.jit.save), not a state dict", {},
                    "save the weights alone: torch.save(torch.jit.load(path).state_dict(), new_path)");
    }
    check_byte_order(zip, folder);
    std::uint64_t position = 0;
    const PickleTree tree = read_pickle(*zip.record(join({folder, kPickle})), position, is_torch_global);
    TensorTable table(file, "torch zip");
    const auto find_storage = [&](const StorageId& id) {
        const std::optional<Bytes> record = zip.record(join({folder, "data/", id.key}));
        if (!record) {
            throw_error(ErrorKind::format, join({id.key, " has no record in the archive"}),
                        {.field = "storage key"});
        }
        return *record;
    };
    add_state_dict(tree, bytes, find_storage, table);
    return table;
}

}  // namespace mm
