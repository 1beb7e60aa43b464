// A checkpoint by the name a user gives it: a file, or one of those embedded in the program. With the
// config.json that belongs to it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/checkpoint/tensor_table.hpp"
#include "native/files/mapped_file.hpp"
#include "native/options/model_options.hpp"

namespace mm {

class Checkpoint {
  public:
    /// @param name    a file, "demo:pretrain" or "demo:sft"
    /// @param config  a config.json that wins over the one beside the checkpoint
    /// @throws Error naming the file: unreadable, or not a checkpoint
    Checkpoint(const std::string& name, const std::optional<std::string>& config);

    const TensorTable& table() const { return *table_; }
    /// What the tensors, the config file and the options say together. @throws Error
    ModelConfig model_config(const ConfigOptions& options) const;

  private:
    std::unique_ptr<MappedFile> file_;  // null for an embedded checkpoint
    std::optional<TensorTable> table_;
    std::optional<Json> config_;  // of config_file_
    std::string config_file_;
};

/// True for the name of an embedded checkpoint. @throws Error{range} for any other that begins with "demo:"
bool is_embedded(const std::string& name);

}  // namespace mm
