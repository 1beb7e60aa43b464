// From options to a model ready to run.
#pragma once

#include <memory>
#include <string>

#include "core/model/model.hpp"
#include "native/loading/checkpoint.hpp"
#include "native/terminal/console.hpp"

namespace mm {

/// The threads the options ask for, physical cores by default; fewer when the system grants no more.
std::shared_ptr<ThreadPool> make_thread_pool(const ModelOptions& options);

/// Packs the weights of a checkpoint that was read. @throws Error naming the file, before memory is taken
/// when there is not enough
Model make_model(const Checkpoint& checkpoint, const ModelConfig& config, std::shared_ptr<ThreadPool> pool);

/// Reads, checks and packs a checkpoint; nothing of its file is needed afterwards. Tensors that no part of
/// the model wanted are named in a note.
/// @param name  a file, "demo:pretrain" or "demo:sft"
/// @throws Error naming the file
Model load_model(const std::string& name, const ModelOptions& options, std::shared_ptr<ThreadPool> pool,
                 Console& console);

/// The note about tensors of the checkpoint that take no part; none when there are none.
void note_ignored(const Model& model, const std::string& name, Console& console);

}  // namespace mm
