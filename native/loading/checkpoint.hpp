// A checkpoint by the name a user gives it: a file, a Hugging Face folder, an index of shards, or one of
// those embedded in the program. With the config.json that belongs to it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/shards.hpp"
#include "core/checkpoint/tensor_table.hpp"
#include "native/files/mapped_file.hpp"
#include "native/options/model_options.hpp"

namespace mm {

class Checkpoint {
  public:
    /// @param name    a file, a folder (model_file()), "demo:pretrain" or "demo:sft"
    /// @param config  a config.json that wins over the one beside the checkpoint
    /// @throws Error naming the file: unreadable, or not a checkpoint
    Checkpoint(const std::string& name, const std::optional<std::string>& config);

    const TensorTable& table() const { return *table_; }
    /// What the tensors, the config file and the options say together.
    /// @throws Error; also when the file is one shard of several
    ModelConfig model_config(const ConfigOptions& options) const;

  private:
    void read_shards(const std::string& index);

    std::vector<std::unique_ptr<MappedFile>> files_;  // none for an embedded checkpoint
    std::optional<TensorTable> table_;
    std::optional<ShardName> shard_;  // set: only a part of the model
    std::optional<Json> config_;      // of config_file_
    std::string config_file_;
};

/// The file that a name stands for: itself, or in a folder what transformers would load, else the only
/// checkpoint there. A folder's other files (merges.txt, training_args.bin, …) are left aside.
/// @throws Error{io} naming the folder and what it holds, when it has none or several
std::string model_file(const std::string& name);

/// True for the name of an embedded checkpoint. @throws Error{range} for any other that begins with "demo:"
bool is_embedded(const std::string& name);

}  // namespace mm
