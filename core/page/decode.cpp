// The decode scene, distributions, and what the cache takes by its formula.
#include <utility>

#include "core/lab/readers.hpp"
#include "core/page/params.hpp"
#include "core/page/workbench.hpp"

namespace mm::page {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

Json lane_json(const SceneLane& lane) {
    return Fields()
        .set("tokenId", lane.token)
        .set("fed", lane.fed)
        .set("fedTotal", lane.fed_total)
        .set("formulaTotal", lane.formula_total)
        .set("milliseconds", lane.seconds * 1000);
}

Json cache_json(const SceneCache& cache) {
    return Fields()
        .set("tokens", cache.tokens)
        .set("bytesUsed", cache.bytes_used)
        .set("bytesReserved", cache.bytes_reserved)
        .set("formulaBytes", cache.formula_bytes)
        .set("bytesAfterRepeat", cache.bytes_after_repeat)
        .set("kShape", cache.k_shape);
}

Json candidate_json(const Candidate& one) {
    return Fields()
        .set("id", one.id)
        .set("text", one.text)
        .set("logit", one.logit)
        .set("probability", one.probability);
}

Json start_decode(Workbench& bench, const Json& params, const Files&) {
    const Loaded loaded = bench.loaded("pretrain");
    const std::vector<TokenId> ids = bench.prompt_ids(object(params, "prompt"), loaded);
    const std::int64_t count = integer(params, "newTokens", 1, kMost);
    bench.scene.reset();
    bench.scene = std::make_unique<DecodeScene>(loaded.model, loaded.tokenizer, ids, count, bench.clock);
    return Fields()
        .set("prompt", list_of(ids, [&](TokenId id) { return token_json(id, loaded.tokenizer); }))
        .set("promptText", loaded.tokenizer.decode(ids, false))
        .set("newTokens", count)
        .set("finalWithCache", bench.scene->formula_with_cache(count))
        .set("finalWithoutCache", bench.scene->formula_without_cache(count));
}

Json step(Workbench& bench, const Json&, const Files&) {
    const SceneStep step = bench.begun_scene().step();
    return Fields()
        .set("step", step.step)
        .set("token", token_json(step.with_cache.token, bench.loaded("pretrain").tokenizer))
        .set("textSoFar", step.text)
        .set("withCache", lane_json(step.with_cache))
        .set("withoutCache", lane_json(step.without_cache))
        .set("sameToken", step.with_cache.token == step.without_cache.token)
        .set("largestDifference", step.largest_difference)
        .set("cache", cache_json(step.cache))
        .set("top", list_of(step.top, candidate_json))
        .set("done", step.done);
}

Json steps(Workbench& bench, const Json&, const Files&) {
    const DecodeScene& scene = bench.begun_scene();
    return Fields().set("made", scene.steps()).set("of", scene.new_tokens());
}

Json rewind(Workbench& bench, const Json& params, const Files&) {
    bench.begun_scene().rewind(integer(params, "step", 0, kMost));
    return nullptr;
}

// Where the module's memory holds an array; the client copies it before the next call.
template <typename T>
Json place(const std::vector<T>& values) {
    return Fields().set("at", reinterpret_cast<std::uintptr_t>(values.data())).set("size", values.size());
}

Json entry_json(const RankedToken& token, const Tokenizer& tokenizer) {
    return Fields()
        .set("id", token.id)
        .set("text", text_of(tokenizer, token.id))
        .set("logit", token.logit)
        .set("probability", token.probability)
        .set("rank", token.rank)
        .set("now", token.now)
        .set("kept", token.kept)
        .set("cumulative", token.cumulative);
}

// The table's names as JavaScript spells them: top_p is topP.
std::string camel_case(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool upper = out.ends_with('_');
        if (upper) out.pop_back();
        out += upper ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return out;
}

// An option that is not given is off.
SamplingOptions sampling_of(const Json& given) {
    SamplingOptions options{.temperature = 1, .top_k = 0, .top_p = 1};
    for (const SamplingOption& option : sampling_options()) {
        const std::string name = camel_case(option.name);
        if (!given.contains(name)) continue;
        if (const auto* real = std::get_if<double SamplingOptions::*>(&option.value)) {
            options.*(*real) = number(given, name.c_str());
        } else {
            options.*std::get<std::int64_t SamplingOptions::*>(option.value) =
                integer(given, name.c_str(), 0, kMost);
        }
    }
    return options;
}

Json distribution(Workbench& bench, const Json& params, const Files&) {
    const Loaded loaded = bench.loaded("pretrain");
    const Json& options = object(params, "options");
    const std::vector<float> logits = bench.logits_at(object(params, "position"));
    DistributionSummary& d = bench.distribution;
    d = summarize(logits, sampling_of(options),
                  static_cast<std::size_t>(integer(params, "entries", 0, kMost)));
    const auto entry = [&](const RankedToken& token) { return entry_json(token, loaded.tokenizer); };
    return Fields()
        .set("options", options)
        .set("vocabSize", d.ids.size())
        .set("ids", place(d.ids))
        .set("probabilities", place(d.probabilities))
        .set("cumulative", place(d.cumulative))
        .set("keptTopK", d.kept_top_k)
        .set("kept", d.kept)
        .set("crossing", entry(d.crossing))
        .set("top", list_of(d.top, entry))
        .set("aroundCut", list_of(d.around_cut, entry))
        .set("rest",
             Fields().set("count", d.rest_count).set("before", d.rest_probability).set("now", d.rest_now))
        .set("entropyBefore", d.entropy_before)
        .set("entropyNow", d.entropy_now)
        .set("choicesBefore", d.choices_before)
        .set("choicesNow", d.choices_now);
}

Json kv_bytes(Workbench& bench, const Json& params, const Files&) {
    const ModelConfig& config = bench.loaded("pretrain").model.config();
    return list_of(integers(params, "tokens", 0, kMost), [&](std::int64_t tokens) {
        const auto count = static_cast<std::uint64_t>(tokens);
        return Fields()
            .set("tokens", tokens)
            .set("bytes", config.kv_bytes(count))
            .set("afterRepeat", config.kv_bytes_after_repeat(count));
    });
}

Json readers(Workbench& bench, const Json& params, const Files&) {
    const Readers found = readers_on_card(
        bench.loaded("pretrain").model.config(), number(params, "cardGigabytes"),
        integer(params, "context", 1, kMost), static_cast<int>(integer(params, "cacheBytesPerValue", 2, 4)));
    return Fields()
        .set("bytesPerReader", found.bytes_per_reader)
        .set("readers", found.readers)
        .set("weightBytes", found.weight_bytes);
}

constexpr NamedCall kCalls[] = {
    {"startDecode", start_decode},  {"step", step},        {"steps", steps},    {"rewind", rewind},
    {"distribution", distribution}, {"kvBytes", kv_bytes}, {"readers", readers}};

}  // namespace

std::span<const NamedCall> decode_calls() {
    return kCalls;
}

}  // namespace mm::page
