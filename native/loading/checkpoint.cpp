#include "native/loading/checkpoint.hpp"

#include <filesystem>

#include "native/files/file.hpp"
#include "native/loading/demo.hpp"

namespace mm {
namespace {

constexpr std::string_view kDemoPrefix = "demo:";
// They have a kilobyte or two, and thirty values; three bytes of "", may become sixty-four.
constexpr std::size_t kLargestConfig = std::size_t{2} << 20;
constexpr JsonLimits kConfigLimits{.max_values = 100'000};

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

Checkpoint::Checkpoint(const std::string& name, const std::optional<std::string>& config) {
    const bool embedded = is_embedded(name);
    if (config) {
        config_file_ = *config;
    } else if (!embedded) {
        const std::string beside = (std::filesystem::path(name).parent_path() / "config.json").string();
        if (is_regular_file(beside)) config_file_ = beside;
    }
    if (!embedded) file_ = std::make_unique<MappedFile>(name);
    table_ = read_checkpoint(embedded ? embedded_bytes(name) : file_->bytes(), name);
    if (!config_file_.empty()) {
        config_ = parse_json(read_file(config_file_, kLargestConfig), config_file_, kConfigLimits);
    }
}

ModelConfig Checkpoint::model_config(const ConfigOptions& options) const {
    try {
        return ModelConfig::from_checkpoint(*table_, config_ ? &*config_ : nullptr, config_file_, options);
    } catch (const Error& error) {
        throw told_under_option(error, options);
    }
}

}  // namespace mm
