// All that a page can ask for, as calls: a name and a JSON object in, a JSON value out. The shapes are those
// of wasm/client/api.ts, which says what each call means.
//
// Nothing is computed here: calls are read, handed to the layers below and their results are told. The
// WebAssembly module (wasm/bindings) carries calls over the border; tests make them natively, so the page's
// numbers are checked where the debuggers are.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/json.hpp"
#include "core/decode/distribution_summary.hpp"
#include "core/lab/checks/reference.hpp"
#include "core/lab/context.hpp"
#include "core/lab/decode_scene.hpp"
#include "core/model/model.hpp"
#include "core/reference/weights.hpp"
#include "core/text/tokenizer.hpp"
#include "core/why/experiment.hpp"

namespace mm::page {

/// A file that came with a call.
struct File {
    std::string name;
    Bytes bytes;
    /// The memory the bytes are at the beginning of, when a call may keep and change it; else null.
    std::shared_ptr<std::byte> memory = nullptr;
    std::size_t memory_bytes = 0;
};
using Files = std::map<std::string, File, std::less<>>;  // by the parameter they stand for

/// A checkpoint ready to run, with its tokenizer.
struct Loaded {
    const Model& model;
    const Tokenizer& tokenizer;
};

/// All that a page opens in one act: it is there as a whole, or what was there before still is.
struct Opened {
    Tokenizer tokenizer;
    std::shared_ptr<const Model> pretrain = nullptr;
    std::shared_ptr<const Model> sft =
        nullptr;  // `pretrain` where one file is both; null while it is to come
    std::vector<std::string> documents = {};
    Json told = {};  // an api.ts Opened: what the page shows of it
};

/// Long work between two calls: goes on with advance(), and then has a value.
class Task {
  public:
    virtual ~Task() = default;
    virtual bool advance() = 0;
    virtual Json value() = 0;
};

/// The why section's experiments on one prompt, and what they have given so far.
struct Why {
    std::vector<TokenId> prompt;
    std::unique_ptr<why::Experiments> experiments;
    std::vector<why::Result> results;  // one a name, in the order they were first asked for
};

class Workbench {
  public:
    /// @param clock_seconds monotonic
    explicit Workbench(std::function<double()> clock_seconds);
    ~Workbench();

    /// @throws Error; std::bad_alloc. What was loaded before is as it was then.
    Json call(std::string_view name, const Json& params, const Files& files = {});

    /// Names of the calls.
    static std::vector<std::string_view> names();

    // --- for the calls ---

    /// @throws Error{range} when nothing is loaded for the role, "pretrain" or "sft"; valid until another is
    Loaded loaded(std::string_view role) const;
    /// Ids of an api.ts Prompt.
    std::vector<TokenId> prompt_ids(const Json& prompt, const Loaded& loaded) const;
    /// Logits [V] of the pretrained model after `ids`. Kept for the last few prompts: a slider asks for the
    /// same ones at every move and must not cost a forward.
    const std::vector<float>& logits_after(const std::vector<TokenId>& ids);
    /// @throws Error{range} when no decode scene was started
    DecodeScene& begun_scene();
    /// Logits [V] at an api.ts Position: a step of the decode scene, or after a prompt.
    /// @throws Error{range} for a step without a scene
    std::vector<float> logits_at(const Json& position);
    /// Models, documents and the clock, for the lab's steps.
    LabContext context() const;
    /// Before models or documents change: ends what looks at them.
    void forget_work();

    std::function<double()> clock;
    std::unique_ptr<Opened> opened;
    std::int64_t openings = 0;
    std::unique_ptr<DecodeScene> scene;                     // on the model of role "pretrain"
    DistributionSummary distribution;                       // whose arrays the page is about to copy
    std::unique_ptr<const mm::reference::Weights> weights;  // of the pretrained model, for the why section
    std::unique_ptr<Why> why;
    std::unique_ptr<Task> task;  // the work begun last
    LabProgress progress;        // of it
    std::optional<GradeReference> reference;

  private:
    struct Frozen {
        std::vector<TokenId> ids;
        std::vector<float> logits;
    };
    std::deque<Frozen> frozen_;  // of the present pretrained model, oldest first
};

using Call = Json (*)(Workbench&, const Json& params, const Files& files);
struct NamedCall {
    std::string_view name;
    Call run;
};

// One list a file.
std::span<const NamedCall> open_calls();
std::span<const NamedCall> decode_calls();
std::span<const NamedCall> lab_calls();
std::span<const NamedCall> why_calls();

/// An api.ts Token.
Json token_json(TokenId id, const Tokenizer& tokenizer);

}  // namespace mm::page
