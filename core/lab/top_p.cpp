#include "core/lab/top_p.hpp"

#include <array>
#include <span>

#include "core/base/join.hpp"
#include "core/decode/distribution.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/json_text.hpp"

namespace mm {
namespace {

constexpr std::size_t kShown = 5;

}  // namespace

TopPPosition measure_position(const LabContext& context, std::string_view text) {
    const Model& model = required(context.pretrain, "pretrained model");
    const Tokenizer& tokenizer = required(context.tokenizer, "tokenizer");
    std::vector<TokenId> ids = tokenizer.encode(text, false);
    ids.insert(ids.begin(), kLabBos);
    const std::vector<float> row = last_logits(model, ids);

    TopPPosition position;
    position.text = text;
    for (const double p : kLabThresholds) position.survivors.push_back({p, top_p_survivors(row, 1.0, p)});
    position.top = likeliest(row, tokenizer, kShown);
    return position;
}

Steps<TopPResult> top_p_in_steps(const LabContext& context) {
    context.progress("topp", 0);
    TopPResult result;
    result.broad = measure_position(context, kLabBroadText);
    context.check_cancelled();
    context.progress("topp", 0.5);
    co_yield kRest;
    result.sharp = measure_position(context, kLabSharpText);
    context.progress("topp", 1);
    co_return result;
}

TopPResult run_top_p(const LabContext& context) {
    return run(top_p_in_steps(context));
}

std::string to_json(const TopPResult& result) {
    Json json = Json::object();
    for (const TopPSurvivors& kept : result.broad.survivors) json[number_text(kept.p)] = kept.count;
    return json_text(json);
}

}  // namespace mm
