#include "core/lab/decode_scene.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/join.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/greedy_pair.hpp"

namespace mm {
namespace {

double largest_difference(std::span<const float> a, std::span<const float> b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
    }
    return largest;
}

std::int64_t checked(const Model& model, std::span<const TokenId> prompt, std::int64_t new_tokens) {
    if (new_tokens < 1) throw_error(ErrorKind::range, "must be at least 1", {.field = "new_tokens"});
    const auto length = static_cast<std::int64_t>(prompt.size());
    const std::int64_t positions = model.config().max_position_embeddings;
    // The last new token is never fed.
    if (length > positions || new_tokens - 1 > positions - length) {
        throw_error(ErrorKind::range,
                    join({length, " tokens of the prompt and ", new_tokens,
                          " new ones are more than the model's ", positions, " positions"}),
                    {.field = "new_tokens"});
    }
    return new_tokens;
}

}  // namespace

struct DecodeScene::State {
    const Model& model;
    Tokenizer tokenizer;
    std::vector<TokenId> prompt;
    std::int64_t new_tokens;
    std::function<double()> clock;
    Session with_cache;
    Session without_cache;
    std::vector<TokenId> ids;                // new ones so far, of the lane with the cache
    std::vector<std::vector<float>> logits;  // that chose each of them
    StreamDecoder decoder;
    std::string text;

    State(const Model& m, const Tokenizer& t, std::span<const TokenId> p, std::int64_t n,
          std::function<double()> c)
        : model(m),
          tokenizer(t),
          prompt(p.begin(), p.end()),
          new_tokens(checked(m, p, n)),
          clock(std::move(c)),
          with_cache(m, p, GenerateOptions::lab_greedy(n, true)),
          without_cache(m, p, GenerateOptions::lab_greedy(n, false)),
          decoder(t.stream()) {}

    SceneLane advance(Session& session, std::uint64_t formula, std::span<const float>& row) {
        const double start = clock();
        const StepRecord& record = session.step();
        row = record.logits;
        return {.token = record.tokens.front(),
                .fed = record.fed,
                .fed_total = record.fed_total,
                .formula_total = formula,
                .seconds = clock() - start};
    }

    SceneCache cache() const {
        const KvCache& held = with_cache.caches().front();
        const ModelConfig& config = model.config();
        const std::uint64_t formula = config.kv_bytes(held.length());
        return {.tokens = held.length(),
                .bytes_used = held.bytes_used(),
                .bytes_reserved = held.bytes_reserved(),
                .formula_bytes = formula,
                .bytes_after_repeat = config.kv_bytes_after_repeat(held.length()),
                .k_shape = held.k_shape()};
    }
};

DecodeScene::DecodeScene(const Model& model, const Tokenizer& tokenizer, std::span<const TokenId> prompt,
                         std::int64_t new_tokens, std::function<double()> clock_seconds)
    : state_(std::make_unique<State>(model, tokenizer, prompt, new_tokens, std::move(clock_seconds))) {}
DecodeScene::~DecodeScene() = default;
DecodeScene::DecodeScene(DecodeScene&&) noexcept = default;
DecodeScene& DecodeScene::operator=(DecodeScene&&) noexcept = default;

std::int64_t DecodeScene::steps() const {
    return static_cast<std::int64_t>(state_->ids.size());
}

std::int64_t DecodeScene::new_tokens() const {
    return state_->new_tokens;
}

std::uint64_t DecodeScene::formula_with_cache(std::int64_t step) const {
    GreedyPairResult lengths;
    lengths.prompt_len = static_cast<std::int64_t>(state_->prompt.size());
    lengths.new_tokens = step;
    return lengths.formula_with_cache();
}

std::uint64_t DecodeScene::formula_without_cache(std::int64_t step) const {
    GreedyPairResult lengths;
    lengths.prompt_len = static_cast<std::int64_t>(state_->prompt.size());
    lengths.new_tokens = step;
    return lengths.formula_without_cache();
}

SceneStep DecodeScene::step() {
    State& s = *state_;
    const std::int64_t number = steps() + 1;
    if (number > s.new_tokens) {
        throw_error(ErrorKind::range, join({"all ", s.new_tokens, " steps are made"}), {.field = "step"});
    }
    SceneStep out;
    out.step = number;
    std::span<const float> cached;
    std::span<const float> anew;
    try {
        out.with_cache = s.advance(s.with_cache, formula_with_cache(number), cached);
        out.without_cache = s.advance(s.without_cache, formula_without_cache(number), anew);
        out.largest_difference = largest_difference(cached, anew);
        out.top = likeliest(cached, s.tokenizer, kTop);
        s.logits.emplace_back(cached.begin(), cached.end());
        s.ids.push_back(out.with_cache.token);
    } catch (...) {  // out of memory: the lanes stay in step
        s.with_cache.rewind(number - 1);
        s.without_cache.rewind(number - 1);
        s.logits.resize(static_cast<std::size_t>(number - 1));
        throw;
    }
    s.text += s.decoder.push(out.with_cache.token);
    out.text = s.text;
    out.cache = s.cache();
    out.done = number == s.new_tokens;
    return out;
}

void DecodeScene::rewind(std::int64_t step) {
    State& s = *state_;
    s.with_cache.rewind(step);
    s.without_cache.rewind(step);
    s.ids.resize(static_cast<std::size_t>(step));
    s.logits.resize(static_cast<std::size_t>(step));
    s.decoder = s.tokenizer.stream();
    s.text.clear();
    for (const TokenId id : s.ids) s.text += s.decoder.push(id);
}

std::vector<float> DecodeScene::logits(std::int64_t step) const {
    const State& s = *state_;
    if (step < 0 || step > steps()) {
        throw_error(ErrorKind::range, join({"must be in 0 … ", steps(), ", the steps made so far"}),
                    {.field = "step"});
    }
    if (step < steps()) return s.logits[static_cast<std::size_t>(step)];
    // Only what the cache does not hold is fed: the last token, or the prompt.
    KvCache cache = s.with_cache.caches().front().copy();
    Workspace workspace;
    Matrix row;
    const std::span<const TokenId> rest =
        step == 0 ? std::span<const TokenId>(s.prompt) : std::span(&s.ids.back(), 1);
    s.model.forward(rest, cache, LogitsFor::last, row, workspace);
    return {row.data(), row.data() + row.size()};
}

}  // namespace mm
