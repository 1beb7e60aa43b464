// The why section: attention, old keys and values, experiments, and one draw of a token.
#include "core/why/attention.hpp"
#include "core/why/draw.hpp"
#include "core/why/table.hpp"

#include <algorithm>
#include <utility>

#include "core/lab/greedy_pair.hpp"
#include "core/lab/json_text.hpp"
#include "core/page/params.hpp"
#include "core/page/task.hpp"
#include "core/page/workbench.hpp"

namespace mm::page {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

const reference::Weights& weights_of(Workbench& bench) {
    const auto& loaded = bench.loaded("pretrain");
    if (!bench.weights) bench.weights = std::make_unique<const reference::Weights>(loaded.model);
    return *bench.weights;
}

std::vector<TokenId> ids_of(const Json& params, const ModelConfig& config) {
    const auto ids = integers(params, "ids", 0, config.vocab_size - 1);
    return {ids.begin(), ids.end()};
}

std::size_t index(const Json& params, const char* name) {
    return static_cast<std::size_t>(integer(params, name, 0, kMost));
}

/// The first token that is told when only the newest `window` ones are.
std::size_t first_of(std::size_t tokens, std::size_t window) {
    return tokens > window ? tokens - window : 0;
}

Json begin_attention(Workbench& bench, const Json& params, const Files&) {
    const reference::Weights& weights = weights_of(bench);
    const std::vector<TokenId> ids = ids_of(params, weights.config);
    const std::size_t layer = index(params, "layer"), head = index(params, "head");
    const std::size_t from =
        first_of(ids.size(), static_cast<std::size_t>(integer(params, "window", 1, kMost)));
    return begin_task<why::Attention>(
        bench, [&](const LabContext&) { return why::attention_in_steps(weights, ids, layer, head); },
        [layer, head, from](const why::Attention& found) {
            Json folded = Json::array();  // what each told row gives to the tokens that are not told
            for (std::size_t r = from; r < found.weights.shape(0); ++r) {
                double sum = 0;
                for (std::size_t c = 0; c < from; ++c) sum += double{found.weights(r, c)};
                folded.push_back(sum);
            }
            return Fields()
                .set("layer", layer)
                .set("head", head)
                .set("kvHead", found.kv_head)
                .set("from", from)
                .set("weights", why::to_json(found.weights, from, from))
                .set("folded", std::move(folded))
                .set("k", why::to_json(found.k, from))
                .set("v", why::to_json(found.v, from));
        });
}

Json begin_old_kv(Workbench& bench, const Json& params, const Files&) {
    const reference::Weights& weights = weights_of(bench);
    const std::vector<TokenId> ids = ids_of(params, weights.config);
    const std::size_t layer = index(params, "layer"), kv_head = index(params, "kvHead");
    const std::size_t prompt_length = index(params, "promptLength");
    const bool causal = integer(params, "causal", 0, 1) == 1;
    const std::size_t from =
        first_of(ids.size(), static_cast<std::size_t>(integer(params, "window", 1, kMost)));
    return begin_task<why::OldKv>(
        bench,
        [&](const LabContext&) {
            return why::old_kv_in_steps(weights, ids, prompt_length, layer, kv_head, causal);
        },
        [&bench, layer, kv_head, from](const why::OldKv& found) {
            const Tokenizer& tokenizer = bench.loaded("pretrain").tokenizer;
            return Fields()
                .set("layer", layer)
                .set("kvHead", kv_head)
                .set("from", from)
                .set("kStored", why::to_json(found.k_stored, from))
                .set("kAgain", why::to_json(found.k_again, from))
                .set("vStored", why::to_json(found.v_stored, from))
                .set("vAgain", why::to_json(found.v_again, from))
                .set("layers", list_of(found.layers,
                                       [](const why::LayerDifference& one) {
                                           return Fields()
                                               .set("bitsDiffering", one.bits_differing)
                                               .set("largestK", one.largest_k)
                                               .set("largestV", one.largest_v);
                                       }))
                .set("bits", found.bits)
                .set("bitsDiffering", found.bits_differing)
                .set("largestLogitDifference", found.largest_logit_difference)
                .set("nextWithCache", token_json(found.next_with_cache, tokenizer))
                .set("nextWithoutCache", token_json(found.next_without_cache, tokenizer));
        });
}

Json experiments(Workbench& bench, const Json&, const Files&) {
    const ModelConfig& config = bench.loaded("pretrain").model.config();
    return list_of(why::default_experiments(config.num_hidden_layers), [&](const std::string& name) {
        return Fields()
            .set("name", name)
            .set("kind", why::to_string(why::kind_of(name, config)))
            .set("title", why::title(name));
    });
}

/// Its experiments, made anew for another prompt.
Why& why_of(Workbench& bench, std::vector<TokenId> prompt) {
    if (bench.why && bench.why->prompt == prompt) return *bench.why;
    const Tokenizer& tokenizer = bench.loaded("pretrain").tokenizer;
    why::Subject subject;
    subject.prompt = prompt;
    subject.left_over = why::left_over_ids(tokenizer, kLabBos);
    auto next = std::make_unique<Why>();
    next->prompt = std::move(prompt);
    next->experiments = std::make_unique<why::Experiments>(weights_of(bench), std::move(subject));
    bench.task.reset();  // it may look at the one before
    bench.why = std::move(next);
    return *bench.why;
}

Json result_json(const why::Result& result, const Tokenizer& tokenizer) {
    const auto tokens = [&](const std::vector<TokenId>& ids) {
        return list_of(ids, [&](TokenId id) { return token_json(id, tokenizer); });
    };
    Json first = nullptr;
    if (result.first_difference) first = *result.first_difference;
    return Fields()
        .set("name", result.name)
        .set("kind", why::to_string(result.kind))
        .set("firstDifference", std::move(first))
        .set("largestDifference", result.largest_difference)
        .set("bitsEqual", result.bits_equal)
        .set("kvBytes", result.kv_bytes)
        .set("kvBytesFormula", result.kv_bytes_formula)
        .set("kvBytesControl", result.kv_bytes_control)
        .set("tokens", tokens(result.ids))
        .set("tokensControl", tokens(result.ids_control));
}

Json begin_experiment(Workbench& bench, const Json& params, const Files&) {
    const auto& loaded = bench.loaded("pretrain");
    const std::string name = text(params, "name");
    Why& why = why_of(bench, bench.prompt_ids(object(params, "prompt"), loaded));
    return begin_task<why::Result>(
        bench, [&](const LabContext&) { return why.experiments->in_steps(name); },
        [&bench](const why::Result& result) {
            std::vector<why::Result>& results = bench.why->results;
            const auto same = [&](const why::Result& one) { return one.name == result.name; };
            const auto found = std::find_if(results.begin(), results.end(), same);
            if (found == results.end()) {
                results.push_back(result);
            } else {
                *found = result;
            }
            return result_json(result, bench.loaded("pretrain").tokenizer);
        });
}

/// What `mm-native why` prints for the same prompt and experiments.
Json why_table(Workbench& bench, const Json&, const Files&) {
    const std::vector<why::Result> none;
    const std::vector<why::Result>& results = bench.why ? bench.why->results : none;
    return Fields()
        .set("text", why::table_text(results, &bench.loaded("pretrain").tokenizer))
        .set("json", json_text(why::to_json(results)));
}

Json draw(Workbench& bench, const Json& params, const Files&) {
    const auto& loaded = bench.loaded("pretrain");
    const std::vector<float> logits = bench.logits_at(object(params, "position"));
    const why::Draw found = why::one_draw(logits, number(params, "temperature"), seed(params, "seed"),
                                          RngStream::torch, index(params, "entries"));
    const auto racer = [&](const why::Racer& one) {
        return Fields()
            .set("token", token_json(one.id, loaded.tokenizer))
            .set("rank", one.rank)
            .set("place", one.place)
            .set("probability", double{one.probability})
            .set("noise", double{one.noise})
            .set("quotient", double{one.quotient});
    };
    return Fields()
        .set("winner", racer(found.winner))
        .set("likeliest", racer(found.likeliest))
        .set("racers", list_of(found.racers, racer))
        .set("winners", list_of(found.winners, [&](const why::WinnerRange& range) {
                 return Fields().set("from", range.from).set("token", token_json(range.id, loaded.tokenizer));
             }));
}

constexpr NamedCall kCalls[] = {{"attention", begin_attention}, {"oldKv", begin_old_kv},
                                {"experiments", experiments},   {"experiment", begin_experiment},
                                {"whyTable", why_table},        {"draw", draw}};

}  // namespace

std::span<const NamedCall> why_calls() {
    return kCalls;
}

}  // namespace mm::page
