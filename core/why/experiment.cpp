#include "core/why/experiment.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/join.hpp"
#include "core/decode/sampler.hpp"
#include "core/decode/torch_generator.hpp"
#include "core/tensor/ops.hpp"
#include "core/why/attention.hpp"
#include "core/why/stored.hpp"

namespace mm::why {
namespace {

using reference::Cache;
using reference::Heads;

/// Bytes of K and V together for `tokens` tokens, from the configuration alone.
/// @param extra  bytes beside the values of each token and head (a scale)
std::uint64_t formula(const ModelConfig& c, std::uint64_t tokens, std::uint64_t bytes_per_value,
                      std::uint64_t extra = 0) {
    const auto rows = 2 * static_cast<std::uint64_t>(c.num_hidden_layers * c.num_key_value_heads) * tokens;
    return rows * (static_cast<std::uint64_t>(c.head_dim) * bytes_per_value + extra);
}

std::uint64_t floats_held(const Cache& cache) {
    std::uint64_t floats = 0;
    for (const auto& layer : cache.layers) floats += layer.k.size() + layer.v.size();
    return floats;
}

/// Leaves the first `pinned` tokens and the last `recent` ones.
void evict(Cache& cache, std::size_t pinned, std::size_t recent) {
    const std::size_t length = cache.length();
    if (length <= pinned + recent) return;
    for (auto& layer : cache.layers) {
        for (Heads* held : {&layer.k, &layer.v}) {
            Heads left = Heads::from_shape({pinned + recent, held->shape(1), held->shape(2)});
            const auto row = static_cast<std::ptrdiff_t>(held->size() / length);
            const auto pinned_end =
                std::copy_n(held->begin(), static_cast<std::ptrdiff_t>(pinned) * row, left.begin());
            std::copy(held->end() - static_cast<std::ptrdiff_t>(recent) * row, held->end(), pinned_end);
            *held = std::move(left);
        }
    }
}

struct Window {
    std::size_t last = 0;    // W ≥ 1 tokens that a token sees, itself included
    std::size_t pinned = 0;  // and the first ones of the text
};

/// What comes after `prefix` as a whole number: 12 of "window-12". Empty when it is something else.
std::optional<std::size_t> number_after(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<Window> window_of(std::string_view name) {
    constexpr std::string_view kPinned = "-pinned-";
    const std::size_t at = name.find(kPinned);
    const auto last = number_after(name.substr(0, at), "window-");
    if (!last || *last == 0) return std::nullopt;
    if (at == std::string_view::npos) return Window{*last, 0};
    const auto pinned = number_after(name.substr(at), kPinned);
    if (!pinned) return std::nullopt;
    return Window{*last, *pinned};
}

/// Of the two runs' logits for one token.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t v = 0; v < a.size(); ++v) {
        const double difference = std::abs(double{a[v]} - double{b[v]});
        largest = std::isfinite(difference) ? std::max(largest, difference)
                                            : std::numeric_limits<double>::infinity();
        if (!std::isfinite(largest)) break;
    }
    return largest;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

std::string_view to_string(Kind kind) {
    switch (kind) {
        case Kind::cache:
            return "cache";
        case Kind::drawing:
            return "drawing";
        case Kind::bug:
            return "bug";
        case Kind::trade:
            return "trade";
    }
    return "?";
}

std::vector<std::string> default_experiments(std::int64_t layers) {
    return {
        "cache-off",         "cache-off-drawn",  "other-seed",
        "other-temperature", "position-0",       "k-before-rotation",
        "fed-twice",         "left-over",        join({"swapped-layer-", std::min<std::int64_t>(layers, 2)}),
        "no-mask",           "float16",          "int8",
        "window-4",          "window-8",         "window-16",
        "window-32",         "window-8-pinned-4"};
}

/// Untouched: greedy, with the cache, no change.
struct Plan {
    Kind kind = Kind::cache;
    bool use_cache = true;
    double temperature = 0;  // 0: greedy
    std::uint64_t seed = 0;
    bool position_zero = false;    // every new token is rotated as the text's first
    bool feed_twice = false;       // every new token enters forward twice
    bool left_over = false;        // another text is still in the cache
    bool no_mask = false;          // tokens that enter together see later ones
    std::optional<Window> window;  // older tokens leave the cache
    std::function<void(std::size_t layer, Heads& k, Heads& v, const Heads& unrotated)> store;
    /// Stores and reads back; returns the bytes of it.
    std::uint64_t (*through)(Heads&) = nullptr;
    std::uint64_t bytes_per_value = sizeof(float);
    std::uint64_t bytes_per_row = 0;  // beside the values of a token and head

    bool drawn() const { return temperature > 0; }

    /// Tokens the cache holds at the end: the last new one is not fed any more.
    std::uint64_t tokens_held(const Subject& subject) const {
        if (!use_cache) return 0;
        const auto fed = static_cast<std::uint64_t>(subject.new_tokens - 1) * (feed_twice ? 2 : 1);
        const std::uint64_t all = subject.prompt.size() + fed + (left_over ? subject.left_over.size() : 0);
        // A prompt is fed as a whole: what leaves the window leaves it when the next token comes.
        if (!window || fed == 0) return all;
        return std::min<std::uint64_t>(all, window->pinned + window->last);
    }
};

static Plan plan_of(const std::string& name, const ModelConfig& config, std::uint64_t seed) {
    Plan plan;
    plan.seed = seed;
    const auto as = [&plan](Kind kind) -> Plan& {
        plan.kind = kind;
        return plan;
    };
    if (name == "cache-off" || name == "cache-off-drawn") {
        as(Kind::cache).use_cache = false;
        if (name == "cache-off-drawn") plan.temperature = kTemperature;
    } else if (name == "other-seed") {
        as(Kind::drawing).temperature = kTemperature;
        ++plan.seed;
    } else if (name == "other-temperature") {
        as(Kind::drawing).temperature = kOtherTemperature;
    } else if (name == "position-0") {
        as(Kind::bug).position_zero = true;
    } else if (name == "k-before-rotation") {
        as(Kind::bug).store = [](std::size_t, Heads& k, Heads&, const Heads& unrotated) { k = unrotated; };
    } else if (name == "fed-twice") {
        as(Kind::bug).feed_twice = true;
    } else if (name == "left-over") {
        as(Kind::bug).left_over = true;
    } else if (name == "no-mask") {
        as(Kind::bug).no_mask = true;
    } else if (const auto layer = number_after(name, "swapped-layer-");
               layer && *layer >= 1 && *layer <= static_cast<std::size_t>(config.num_hidden_layers)) {
        as(Kind::bug).store = [swapped = *layer - 1](std::size_t l, Heads& k, Heads& v, const Heads&) {
            if (l == swapped) std::swap(k, v);
        };
    } else if (name == "float16") {
        as(Kind::trade).through = through_f16;
        plan.bytes_per_value = 2;
    } else if (name == "int8") {
        as(Kind::trade).through = through_int8;
        plan.bytes_per_value = 1;
        plan.bytes_per_row = sizeof(float);
    } else if (const auto window = window_of(name)) {
        as(Kind::trade).window = window;
    } else {
        throw_error(ErrorKind::range, join({"there is no experiment '", name, "'"}),
                    {.field = "experiments"});
    }
    return plan;
}

Kind kind_of(const std::string& name, const ModelConfig& config) {
    return plan_of(name, config, 0).kind;
}

std::vector<TokenId> left_over_ids(const Tokenizer& tokenizer, TokenId bos) {
    std::vector<TokenId> ids = tokenizer.encode(kLeftOverText, false);
    ids.insert(ids.begin(), bos);
    return ids;
}

Experiments::Experiments(const reference::Weights& weights, Subject subject)
    : weights_(weights), subject_(std::move(subject)) {
    const ModelConfig& c = weights.config;
    const auto fail = [](const char* field, const std::string& message) {
        throw_error(ErrorKind::range, message, {.field = field});
    };
    if (subject_.new_tokens < 1) fail("new_tokens", "at least one token must be made");
    check_ids(c, subject_.prompt);
    check_ids(c, subject_.left_over);
    // The longest cache: another text, the prompt, and every token twice.
    const auto most = static_cast<std::size_t>(c.max_position_embeddings);
    const std::size_t fixed = subject_.prompt.size() + subject_.left_over.size();
    if (fixed > most || static_cast<std::size_t>(subject_.new_tokens) > (most - fixed) / 2) {
        fail("max_position_embeddings",
             join({"the text and its new tokens go past the model's last position ",
                   c.max_position_embeddings - 1}));
    }
}

Steps<Run> Experiments::run_in_steps(Plan plan) const {
    Cache cache(weights_.config);
    std::uint64_t stored_bytes = 0;  // where K and V are stored in another form
    reference::Options options;
    options.store = plan.store;
    if (plan.no_mask) options.sees = [](std::size_t, std::size_t) { return true; };
    if (plan.through != nullptr) {
        options.store = [&](std::size_t, Heads& k, Heads& v, const Heads&) {
            stored_bytes += plan.through(k);
            stored_bytes += plan.through(v);
        };
    }
    if (plan.left_over) {
        reference::forward(weights_, subject_.left_over, cache, options);
        co_yield kRest;
    }
    const auto vocabulary = static_cast<std::size_t>(weights_.config.vocab_size);
    Sampler sampler({.temperature = plan.temperature, .top_k = 0, .top_p = 1}, vocabulary);
    TorchGenerator generator(subject_.rng);
    generator.manual_seed(plan.seed);

    Run run;
    std::vector<TokenId> text = subject_.prompt;
    std::vector<TokenId> feed = text;
    std::vector<float> probabilities(vocabulary);
    for (std::int64_t i = 0; i < subject_.new_tokens; ++i) {
        const bool prompt = i == 0;
        if (!plan.use_cache) {
            cache = Cache(weights_.config);
            feed = text;
        }
        if (plan.position_zero && !prompt) options.first_position = 0;
        if (plan.window) {
            // The prompt's tokens come together, so the mask is the window; a later token finds no others.
            const Window window = *plan.window;
            if (prompt) {
                options.sees = [window](std::size_t from, std::size_t to) {
                    return to <= from && (from - to < window.last || to < window.pinned);
                };
            } else {
                options.sees = reference::Options{}.sees;
                options.first_position = text.size() - 1;
                evict(cache, window.pinned, window.last - 1);
            }
        }
        const Matrix states = reference::forward(weights_, feed, cache, options);
        const std::size_t last = states.shape(0) - 1;
        const Matrix logits = reference::logits(weights_, reference::rows(states, last, last + 1));
        TokenId next = 0;
        if (plan.drawn()) {
            sampler.probabilities({logits.data(), vocabulary}, {}, probabilities);
            generator.multinomial(probabilities, 1, vocabulary, {&next, 1});
        } else {
            next = static_cast<TokenId>(argmax(logits.data(), vocabulary));
        }
        run.logits.emplace_back(logits.begin(), logits.end());
        run.ids.push_back(next);
        text.push_back(next);
        feed.assign(plan.feed_twice ? 2 : 1, next);
        co_yield kRest;
    }
    if (plan.use_cache) {
        run.kv_bytes = plan.through != nullptr ? stored_bytes : floats_held(cache) * sizeof(float);
    }
    co_return run;
}

Steps<Result> Experiments::in_steps(const std::string& name) {
    return compare_in_steps(name, plan_of(name, weights_.config, subject_.seed));
}

Steps<Result> Experiments::compare_in_steps(std::string name, Plan plan) {
    std::optional<Run>& control = plan.drawn() ? drawn_ : greedy_;
    if (!control) {
        Plan unchanged;
        unchanged.seed = subject_.seed;
        if (plan.drawn()) unchanged.temperature = kTemperature;
        auto work = run_in_steps(std::move(unchanged));
        control = co_await std::move(work);
    }
    auto work = run_in_steps(plan);
    const Run run = co_await std::move(work);

    Result result;
    result.name = std::move(name);
    result.kind = plan.kind;
    result.drawn = plan.drawn();
    result.bits_equal = true;
    for (std::size_t i = 0; i < run.ids.size() && !result.first_difference; ++i) {
        result.largest_difference =
            std::max(result.largest_difference, difference(run.logits[i], control->logits[i]));
        result.bits_equal = result.bits_equal && same_bits(run.logits[i], control->logits[i]);
        if (run.ids[i] != control->ids[i]) result.first_difference = static_cast<std::int64_t>(i) + 1;
    }
    if (result.first_difference) result.bits_equal = false;
    result.kv_bytes = run.kv_bytes;
    result.kv_bytes_formula =
        formula(weights_.config, plan.tokens_held(subject_), plan.bytes_per_value, plan.bytes_per_row);
    result.kv_bytes_control = control->kv_bytes;
    result.ids = run.ids;
    result.ids_control = control->ids;
    co_return result;
}

}  // namespace mm::why
