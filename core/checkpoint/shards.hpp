// Checkpoints in several files, as Hugging Face's save_pretrained writes large models: shards named
// model-00001-of-00007.safetensors or pytorch_model-00001-of-00007.bin, and an index that says which tensor
// lies in which (model.safetensors.index.json: {"weight_map": {tensor: file}}).
//
// Names and their meaning only; whoever reads files brings the bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/tensor_table.hpp"

namespace mm {

struct ShardIndex {
    std::string file;                               // its own name, for errors
    std::map<std::string, std::string> weight_map;  // tensor → shard, a file of the index's folder
    std::vector<std::string> shards() const;        // each once, in order of their names
};

/// @throws Error{format} naming the file: not JSON, no weight_map or an empty one, a shard that is no name of
///         a file in the index's own folder
ShardIndex read_shard_index(std::string_view json, const std::string& file);

/// For whoever brings the bytes of index.shards() and has none of one.
/// @param shard  as errors name it
/// @throws Error{format} naming it
[[noreturn]] void shard_is_missing(const ShardIndex& index, const std::string& shard);

/// The checkpoint that all shards make.
/// @param shards  read_shard() of each of index.shards(), in their order
/// @throws Error{format} naming the shard: a tensor of the index is not in it, one is in two
TensorTable join_shards(const ShardIndex& index, const std::vector<TensorTable>& shards);

/// Whether a file is an index of shards, by its name.
bool is_shard_index(std::string_view file_name);

/// What a shard's name says of it: number 1 … count. Nothing for other names, also for the one file of one.
struct ShardName {
    std::int64_t number;
    std::int64_t count;
    std::string index;  // the index's name beside it: "model.safetensors.index.json"
};
std::optional<ShardName> shard_name(std::string_view file_name);

}  // namespace mm
