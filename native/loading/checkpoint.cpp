#include "native/loading/checkpoint.hpp"

#include <algorithm>
#include <filesystem>

#include "core/base/join.hpp"
#include "native/files/file.hpp"
#include "native/loading/demo.hpp"

namespace mm {
namespace {

constexpr std::string_view kDemoPrefix = "demo:";
// They have a kilobyte or two, and thirty values; three bytes of "", may become sixty-four.
constexpr std::size_t kLargestConfig = std::size_t{2} << 20;
constexpr JsonLimits kConfigLimits{.max_values = 100'000};

constexpr std::size_t kLargestIndex = std::size_t{64} << 20;

/// Files of the folder that are checkpoints by their names, sorted. Of the .bin files there are too many that
/// are none (training_args.bin, optimizer.bin), and those that are have names of their own.
std::vector<std::string> checkpoints_in(const std::filesystem::path& folder) {
    std::vector<std::string> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
        const std::string name = at->path().filename().string();
        const std::string extension = at->path().extension().string();
        if (name.starts_with('.') ||
            (extension != ".safetensors" && extension != ".pth" && extension != ".pt")) {
            continue;
        }
        if (is_regular_file(at->path().string())) found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    return found;
}

Bytes embedded_bytes(const std::string& name) {
    return name == "demo:sft" ? demo_files().sft : demo_files().pretrain;
}

}  // namespace

bool is_embedded(const std::string& name) {
    if (!name.starts_with(kDemoPrefix)) return false;
    if (name != "demo:pretrain" && name != "demo:sft") {
        throw_error(ErrorKind::range, "no such model is built in; there are demo:pretrain and demo:sft",
                    {.field = name});
    }
    return true;
}

std::string model_file(const std::string& name) {
    if (is_embedded(name) || !is_folder(name)) return name;
    const std::filesystem::path folder = name;
    // In the order in which transformers looks.
    for (const char* usual : {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                              "pytorch_model.bin.index.json"}) {
        if (is_regular_file((folder / usual).string())) return (folder / usual).string();
    }
    const std::vector<std::string> found = checkpoints_in(folder);
    if (found.size() == 1) return (folder / found.front()).string();
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 5); ++i) {
        list += (i > 0 ? ", " : "") + found[i];
    }
    if (found.empty()) {
        throw_error(
            ErrorKind::io, "this folder holds no checkpoint", {.file = name},
            "looked for model.safetensors, pytorch_model.bin, their indexes, and any .safetensors or .pth");
    }
    throw_error(
        ErrorKind::io,
        join({"this folder holds ", found.size(), " checkpoints (", list, found.size() > 5 ? ", …)" : ")"}),
        {.file = name}, "name one of them");
}

Checkpoint::Checkpoint(const std::string& name, const std::optional<std::string>& config) {
    const bool embedded = is_embedded(name);
    const std::string file = model_file(name);
    const std::filesystem::path path = file;
    if (config) {
        config_file_ = *config;
    } else if (!embedded) {
        const std::string beside = (path.parent_path() / "config.json").string();
        if (is_regular_file(beside)) config_file_ = beside;
    }
    if (embedded) {
        table_ = read_checkpoint(embedded_bytes(name), name);
    } else if (is_shard_index(file)) {
        read_shards(file);
    } else {
        files_.push_back(std::make_unique<MappedFile>(file));
        table_ = read_checkpoint(files_.back()->bytes(), file);
        shard_ = shard_name(path.filename().string());
    }
    if (!config_file_.empty()) {
        config_ = parse_json(read_file(config_file_, kLargestConfig), config_file_, kConfigLimits);
    }
}

void Checkpoint::read_shards(const std::string& file) {
    const ShardIndex index = read_shard_index(read_file(file, kLargestIndex), file);
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    std::vector<TensorTable> shards;
    for (const std::string& name : index.shards()) {
        const std::string shard = (folder / name).string();
        if (!is_regular_file(shard)) shard_is_missing(index, shard);
        files_.push_back(std::make_unique<MappedFile>(shard));
        shards.push_back(read_shard(files_.back()->bytes(), shard));
    }
    table_ = join_shards(index, shards);
}

ModelConfig Checkpoint::model_config(const ConfigOptions& options) const {
    if (shard_) {
        throw_error(ErrorKind::format,
                    join({"this is shard ", shard_->number, " of ", shard_->count, ", a part of the model"}),
                    {.file = table_->file()},
                    join({"name the folder or ", shard_->index, "; all ", shard_->count,
                          " shards must lie beside it"}));
    }
    try {
        return ModelConfig::from_checkpoint(*table_, config_ ? &*config_ : nullptr, config_file_, options);
    } catch (const Error& error) {
        throw told_under_option(error, options);
    }
}

}  // namespace mm
