// Which reader a file gets, by its first bytes; its name only decides where they are ambiguous.
#include "core/checkpoint/fused_experts.hpp"
#include "core/checkpoint/pickle_tree.hpp"
#include "core/checkpoint/readers.hpp"
#include "core/checkpoint/tensor_table.hpp"

namespace mm {
namespace {

bool has_extension(std::string_view file, std::string_view extension) {
    if (file.size() < extension.size()) return false;
    const std::string_view end = file.substr(file.size() - extension.size());
    for (std::size_t i = 0; i < end.size(); ++i) {
        const char c = end[i] >= 'A' && end[i] <= 'Z' ? static_cast<char>(end[i] - 'A' + 'a') : end[i];
        if (c != extension[i]) return false;
    }
    return true;
}

// A header shorter than 1 TB that begins as an object. Shorter files are left to those named .safetensors.
bool looks_like_safetensors(std::string_view text) {
    return text.size() > 8 && text[8] == '{' && text.substr(5, 3) == std::string_view("\0\0\0", 3);
}

TensorTable read(Bytes bytes, const std::string& file) {
    const std::string_view text = as_text(bytes);
    if (text.starts_with("PK\x03\x04")) return read_torch_zip(bytes, file);
    if (looks_like_safetensors(text)) return read_safetensors(bytes, file);
    refuse_other_kinds(bytes);
    if (is_torch_legacy(bytes)) return read_torch_legacy(bytes, file);
    if (has_extension(file, ".safetensors")) return read_safetensors(bytes, file);
    if (text.starts_with("\x80")) {
        throw_error(ErrorKind::format, "a bare pickle, not a checkpoint of torch.save", {},
                    "save the weights with torch.save(model.state_dict(), path)");
    }
    throw_error(ErrorKind::format, "not a checkpoint: neither torch.save's form nor safetensors");
}

}  // namespace

TensorTable read_checkpoint(Bytes bytes, const std::string& file) {
    return split_fused_experts(read_shard(bytes, file));
}

TensorTable read_shard(Bytes bytes, const std::string& file) {
    try {
        return read(bytes, file);
    } catch (const Error& error) {
        throw error.with_file(file);
    }
}

}  // namespace mm
