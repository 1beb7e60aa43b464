// From a lab source to what the lab's steps work with: models, tokenizers, documents, and the program's
// clock, progress line and signals. Shared by `lab` and `grade`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/lab/context.hpp"
#include "native/loading/lab_source.hpp"
#include "native/options/model_options.hpp"
#include "native/terminal/console.hpp"

namespace mm {

/// Everything a context points to.
struct LabInputs {
    std::optional<Model> pretrain;
    std::optional<Model> sft;
    std::optional<Tokenizer> pretrain_tokenizer;
    std::optional<Tokenizer> sft_tokenizer;
    std::vector<std::string> documents;
};

/// @param needs  `tokenizer` is the pretrained checkpoint's; the SFT model always comes with its own
/// @throws Error naming the file
LabInputs load_lab_inputs(const LabSource& source, const LabNeeds& needs, const ModelOptions& options,
                          Console& console);

/// A context over `inputs`, which must outlive it, as must `console`.
LabContext make_lab_context(const LabInputs& inputs, const std::string& chat_format, RngStream rng,
                            Console& console);

/// Seconds of a clock that never goes back.
double monotonic_seconds();

}  // namespace mm
