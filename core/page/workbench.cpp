#include "core/page/workbench.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/join.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/page/params.hpp"
#include "core/text/chat.hpp"

namespace mm::page {
namespace {

std::array<std::span<const NamedCall>, 4> all_calls() {
    return {open_calls(), decode_calls(), lab_calls(), why_calls()};
}

}  // namespace

Workbench::Workbench(std::function<double()> clock_seconds) : clock(std::move(clock_seconds)) {}
Workbench::~Workbench() = default;

Json Workbench::call(std::string_view name, const Json& params, const Files& files) {
    for (const auto& list : all_calls()) {
        for (const NamedCall& call : list) {
            if (call.name == name) return call.run(*this, params, files);
        }
    }
    throw_error(ErrorKind::internal, join({"there is no call '", name, "'"}));
}

std::vector<std::string_view> Workbench::names() {
    std::vector<std::string_view> names;
    for (const auto& list : all_calls()) {
        for (const NamedCall& call : list) names.push_back(call.name);
    }
    return names;
}

Loaded Workbench::loaded(std::string_view role) const {
    const Model* model = nullptr;
    if (opened && role == "pretrain") model = opened->pretrain.get();
    if (opened && role == "sft") model = opened->sft.get();
    if (model == nullptr) {
        throw_error(ErrorKind::range, join({"no model is loaded for '", role, "'"}), {.field = "role"});
    }
    return {*model, opened->tokenizer};
}

std::vector<TokenId> Workbench::prompt_ids(const Json& prompt, const Loaded& loaded) const {
    const std::string kind = text(prompt, "kind");
    if (kind == "lab") return lab_prompt(context());
    if (kind == "ids") {
        const auto ids = integers(prompt, "ids", 0, loaded.model.config().vocab_size - 1);
        return {ids.begin(), ids.end()};
    }
    const std::string words = text(prompt, "text");
    if (kind == "chat") return loaded.tokenizer.encode(chat_text("chatml", words), false);
    if (kind != "text") throw_error(ErrorKind::range, "must be lab, text, ids or chat", {.field = "kind"});
    std::vector<TokenId> ids = loaded.tokenizer.encode(words, false);
    ids.insert(ids.begin(), kLabBos);
    return ids;
}

LabContext Workbench::context() const {
    LabContext context;
    if (opened) {
        context.pretrain = opened->pretrain.get();
        context.sft = opened->sft.get();
        context.tokenizer = context.sft_tokenizer = &opened->tokenizer;
        context.documents = opened->documents;
    }
    context.clock_seconds = clock;
    return context;
}

const std::vector<float>& Workbench::logits_after(const std::vector<TokenId>& ids) {
    constexpr std::size_t kKept = 4;  // the page looks at three positions
    const auto same = [&](const Frozen& one) { return one.ids == ids; };
    if (const auto found = std::find_if(frozen_.begin(), frozen_.end(), same); found != frozen_.end()) {
        return found->logits;
    }
    frozen_.push_back({ids, last_logits(loaded("pretrain").model, ids)});
    if (frozen_.size() > kKept) frozen_.pop_front();
    return frozen_.back().logits;
}

DecodeScene& Workbench::begun_scene() {
    if (!scene) throw_error(ErrorKind::range, "no decode scene was started");
    return *scene;
}

std::vector<float> Workbench::logits_at(const Json& position) {
    if (position.contains("step")) {
        return begun_scene().logits(integer(position, "step", 0, std::int64_t{1} << 40));
    }
    return logits_after(prompt_ids(object(position, "prompt"), loaded("pretrain")));
}

void Workbench::forget_work() {
    task.reset();
    reference.reset();
    why.reset();
    weights.reset();
    scene.reset();
    frozen_.clear();
}

Json token_json(TokenId id, const Tokenizer& tokenizer) {
    const std::string bytes = tokenizer.bytes(id);
    return Fields()
        .set("id", id)
        .set("text", text_of(tokenizer, id))
        .set("bytes", list_of(bytes, [](char c) { return static_cast<unsigned char>(c); }))
        .set("special", tokenizer.is_special(id));
}

}  // namespace mm::page
