// Looking closely: the decode scene, distributions, the cache's formula.
#include <utility>

#include "core/lab/readers.hpp"
#include "wasm/bindings/module.hpp"

namespace mm::wasm {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

DecodeScene& scene() {
    if (!module().scene) throw Error(ErrorKind::range, "no decode scene was started");
    return *module().scene;
}

Json lane_json(const SceneLane& lane) {
    return {{"tokenId", lane.token},
            {"fed", lane.fed},
            {"fedTotal", lane.fed_total},
            {"formulaTotal", lane.formula_total},
            {"milliseconds", lane.seconds * 1000}};
}

Json cache_json(const SceneCache& cache) {
    return {{"tokens", cache.tokens},
            {"bytesUsed", cache.bytes_used},
            {"bytesReserved", cache.bytes_reserved},
            {"formulaBytes", cache.formula_bytes},
            {"bytesAfterRepeat", cache.bytes_after_repeat},
            {"kShape", cache.k_shape}};
}

Json entry_json(const RankedToken& token, const Tokenizer& tokenizer) {
    return {{"id", token.id},       {"text", text_of(tokenizer, token.id)},
            {"logit", token.logit}, {"probability", token.probability},
            {"rank", token.rank},   {"now", token.now},
            {"kept", token.kept},   {"cumulative", token.cumulative}};
}

Json entries_json(const std::vector<RankedToken>& tokens, const Tokenizer& tokenizer) {
    Json list = Json::array();
    for (const RankedToken& token : tokens) list.push_back(entry_json(token, tokenizer));
    return list;
}

template <typename T>
Json place(const std::vector<T>& values) {
    return {{"at", reinterpret_cast<std::uintptr_t>(values.data())}, {"size", values.size()}};
}

Json start_decode(const Json& params) {
    module().scene.reset();
    Loaded& loaded = module().loaded("pretrain");
    const std::vector<TokenId> ids = prompt_ids(object(params, "prompt"), loaded);
    const auto count = integer(params, "newTokens", 1, kMost);
    module().scene = std::make_unique<DecodeScene>(loaded.model, loaded.tokenizer, ids, count, seconds);
    return {{"prompt", tokens_json(ids, loaded.tokenizer)},
            {"promptText", loaded.tokenizer.decode(ids, false)},
            {"newTokens", count},
            {"finalWithCache", scene().formula_with_cache(count)},
            {"finalWithoutCache", scene().formula_without_cache(count)}};
}

Json step(const Json&) {
    const SceneStep step = scene().step();
    Json top = Json::array();
    for (const Candidate& one : step.top) {
        top.push_back(
            {{"id", one.id}, {"text", one.text}, {"logit", one.logit}, {"probability", one.probability}});
    }
    return {{"step", step.step},
            {"token", token_json(step.with_cache.token, module().loaded("pretrain").tokenizer)},
            {"textSoFar", step.text},
            {"withCache", lane_json(step.with_cache)},
            {"withoutCache", lane_json(step.without_cache)},
            {"sameToken", step.with_cache.token == step.without_cache.token},
            {"largestDifference", step.largest_difference},
            {"cache", cache_json(step.cache)},
            {"top", top},
            {"done", step.done}};
}

Json steps(const Json&) {
    return {{"made", scene().steps()}, {"of", scene().new_tokens()}};
}

Json rewind(const Json& params) {
    scene().rewind(integer(params, "step", 0, kMost));
    return nullptr;
}

std::vector<float> logits_at(const Json& position, Loaded& loaded) {
    if (position.contains("step")) return scene().logits(integer(position, "step", 0, kMost));
    return last_logits(loaded.model, prompt_ids(object(position, "prompt"), loaded));
}

Json distribution(const Json& params) {
    Loaded& loaded = module().loaded("pretrain");
    const Json options = object(params, "options");
    const std::vector<float> logits = logits_at(object(params, "position"), loaded);
    DistributionSummary& d = module().distribution;
    d = summarize(logits,
                  {.temperature = number(options, "temperature"),
                   .top_k = integer(options, "topK", 0, kMost),
                   .top_p = number(options, "topP")},
                  static_cast<std::size_t>(integer(params, "entries", 0, kMost)));
    return {{"options", options},
            {"vocabSize", d.ids.size()},
            {"ids", place(d.ids)},
            {"probabilities", place(d.probabilities)},
            {"cumulative", place(d.cumulative)},
            {"keptTopK", d.kept_top_k},
            {"kept", d.kept},
            {"crossing", entry_json(d.crossing, loaded.tokenizer)},
            {"top", entries_json(d.top, loaded.tokenizer)},
            {"aroundCut", entries_json(d.around_cut, loaded.tokenizer)},
            {"rest", {{"count", d.rest_count}, {"before", d.rest_probability}, {"now", d.rest_now}}},
            {"entropyBefore", d.entropy_before},
            {"entropyNow", d.entropy_now},
            {"choicesBefore", d.choices_before},
            {"choicesNow", d.choices_now}};
}

Json kv_bytes(const Json& params) {
    const ModelConfig& config = module().loaded("pretrain").model.config();
    Json list = Json::array();
    for (const std::int64_t tokens : integers(params, "tokens", 0, kMost)) {
        list.push_back({{"tokens", tokens},
                        {"bytes", config.kv_bytes(static_cast<std::uint64_t>(tokens))},
                        {"afterRepeat", config.kv_bytes_after_repeat(static_cast<std::uint64_t>(tokens))}});
    }
    return list;
}

Json readers(const Json& params) {
    const Readers found = readers_on_card(
        module().loaded("pretrain").model.config(), number(params, "cardGigabytes"),
        integer(params, "context", 1, kMost), static_cast<int>(integer(params, "cacheBytesPerValue", 2, 4)));
    return {{"bytesPerReader", found.bytes_per_reader},
            {"readers", found.readers},
            {"weightBytes", found.weight_bytes}};
}

}  // namespace

std::vector<NamedCall> scene_calls() {
    return {{"startDecode", start_decode},  {"step", step},        {"steps", steps},    {"rewind", rewind},
            {"distribution", distribution}, {"kvBytes", kv_bytes}, {"readers", readers}};
}

}  // namespace mm::wasm
