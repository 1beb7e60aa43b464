#include "native/loading/lab_inputs.hpp"

#include <chrono>

#include "core/lab/documents.hpp"
#include "core/lab/greedy_pair.hpp"
#include "native/files/mapped_file.hpp"
#include "native/loading/demo.hpp"
#include "native/loading/load_model.hpp"
#include "native/loading/tokenizer_search.hpp"
#include "native/terminal/signals.hpp"

namespace mm {
namespace {

std::vector<std::string> load_documents(const LabSource& source) {
    if (source.documents.empty()) {
        return read_documents(as_text(demo_files().documents), "demo:documents", kLabDocuments);
    }
    // Mapped: of a file of any size only the first lines are read.
    const MappedFile file(source.documents);
    return read_documents(as_text(file.bytes()), source.documents, kLabDocuments);
}

}  // namespace

LabInputs load_lab_inputs(const LabSource& source, const LabNeeds& needs, const ModelOptions& options,
                          Console& console) {
    LabInputs inputs;
    const auto pool = make_thread_pool(options);
    const auto tokenizer_for = [&](const std::string& checkpoint, const Model& model) {
        return require_tokenizer({.checkpoint = checkpoint,
                                  .ref = source.ref,
                                  .given = options.tokenizer,
                                  .vocab_size = model.config().vocab_size},
                                 console)
            .tokenizer;
    };
    if (needs.pretrain) {
        inputs.pretrain = load_model(source.pretrain, options, pool, console);
        if (needs.tokenizer) inputs.pretrain_tokenizer = tokenizer_for(source.pretrain, *inputs.pretrain);
    }
    if (needs.sft) {
        inputs.sft = load_model(source.sft, options, pool, console);
        inputs.sft_tokenizer = tokenizer_for(source.sft, *inputs.sft);
    }
    if (needs.documents) inputs.documents = load_documents(source);
    return inputs;
}

LabContext make_lab_context(const LabInputs& inputs, const std::string& chat_format, RngStream rng,
                            Console& console) {
    LabContext context;
    const auto pointer = [](const auto& part) { return part ? &*part : nullptr; };
    context.pretrain = pointer(inputs.pretrain);
    context.sft = pointer(inputs.sft);
    context.tokenizer = pointer(inputs.pretrain_tokenizer);
    context.sft_tokenizer = pointer(inputs.sft_tokenizer);
    context.documents = inputs.documents;
    context.chat_format = chat_format;
    context.rng = rng;
    context.clock_seconds = monotonic_seconds;
    context.on_progress = [&console](const LabProgress& progress) {
        console.progress(progress.step, progress.fraction);
    };
    context.cancelled = stop_requested;
    return context;
}

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace mm
