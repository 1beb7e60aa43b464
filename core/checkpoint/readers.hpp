// One function a container format, behind read_checkpoint (tensor_table.hpp). Their errors name tensor and
// field; read_checkpoint adds the file.
#pragma once

#include <string>

#include "core/base/bytes.hpp"
#include "core/checkpoint/tensor_table.hpp"

namespace mm {

/// torch.save since 1.6: a zip archive of stored records, FOLDER/data.pkl and FOLDER/data/KEY.
TensorTable read_torch_zip(Bytes bytes, const std::string& file);

/// torch.save before 1.6, and with `_use_new_zipfile_serialization=False`: five pickles (magic number,
/// protocol, system, object, storage keys), then the storages.
TensorTable read_torch_legacy(Bytes bytes, const std::string& file);

/// True when the file begins as the legacy form does.
/// @throws Error{unsupported} when it begins with a pickle that names a forbidden global.
bool is_torch_legacy(Bytes bytes);

/// Hugging Face safetensors: header length, JSON header, data.
TensorTable read_safetensors(Bytes bytes, const std::string& file);

/// @throws Error{unsupported or format} naming what the file is when it is a well-known other kind (a Git LFS
///         pointer, a web page, gzip, GGUF, …). Returns when it is none of them.
void refuse_other_kinds(Bytes bytes);

}  // namespace mm
