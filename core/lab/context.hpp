// What a lab step gets to work with: models, tokenizer, documents, and the outside world as callbacks.
//
// The core reads no file and no clock: the native twin and the page fill this in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/decode/rng_stream.hpp"
#include "core/model/model.hpp"
#include "core/text/tokenizer.hpp"

namespace mm {

struct LabProgress {
    std::string_view step;  // a name of the lab's table; "reference" while the grader computes
    double fraction = 0;    // of this step, 0 … 1
};

struct LabContext {
    const Model* pretrain = nullptr;
    const Model* sft = nullptr;            // needed by "temp" only
    const Tokenizer* tokenizer = nullptr;  // of the pretrained checkpoint
    const Tokenizer* sft_tokenizer = nullptr;
    std::vector<std::string> documents;  // `text` of the first documents of pretrain_val.jsonl, in order
    std::string chat_format = "chatml";  // chatml, minimind3, or a text with {question}
    RngStream rng = RngStream::torch;

    std::function<double()> clock_seconds;                // monotonic, seconds
    std::function<void(const LabProgress&)> on_progress;  // may be empty
    std::function<bool()> cancelled;                      // may be empty; asked between tokens

    bool stop_requested() const { return cancelled && cancelled(); }
    /// Throws Error{cancelled} when the caller asked to stop.
    void check_cancelled() const {
        if (stop_requested()) throw_error(ErrorKind::cancelled, "stopped on request");
    }
    void progress(std::string_view step, double fraction) const {
        if (on_progress) on_progress({step, fraction});
    }
};

/// What a step cannot do without. A caller that leaves it out has a bug; `what` names it in the error.
template <typename T>
const T& required(const T* part, const char* what) {
    if (part == nullptr) throw_error(ErrorKind::internal, "the lab was given no value", {.field = what});
    return *part;
}

}  // namespace mm
