#include "native/bench/work.hpp"

#include <time.h>

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "core/decode/generate.hpp"
#include "core/lab/temperature.hpp"
#include "core/tensor/ops.hpp"
#include "native/bench/bench.hpp"
#include "native/loading/lab_inputs.hpp"

namespace mm {
namespace {

std::vector<TokenId> prompt_for(const Model& model, std::int64_t length) {
    std::vector<TokenId> ids(static_cast<std::size_t>(length));
    const std::int64_t vocabulary = model.config().vocab_size;
    for (std::int64_t i = 0; i < length; ++i) {
        ids[static_cast<std::size_t>(i)] = static_cast<TokenId>((i * 7919 + 1) % vocabulary);
    }
    return ids;
}

double processor_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

WorkClock work_clock(int threads) {
    return threads == 1 ? processor_seconds : monotonic_seconds;
}

CachedRun time_cached(const Model& model, WorkClock clock) {
    const std::vector<TokenId> prompt = prompt_for(model, kBenchPrompt);
    CachedRun run;
    const double start = clock();
    run.ids = generate(model, prompt, GenerateOptions::lab_greedy(kBenchTokens, true),
                       [&](const StepRecord& record) {
                           if (record.step == 1) run.prefill_seconds = clock() - start;
                           return true;
                       })
                  .rows.front();
    run.seconds = clock() - start;
    return run;
}

double time_uncached(const Model& model, const std::vector<TokenId>& ids, std::int64_t steps,
                     WorkClock clock) {
    std::vector<TokenId> text = prompt_for(model, kBenchPrompt);
    text.insert(text.end(), ids.begin(), ids.end());
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    const std::int64_t stride = kBenchTokens / steps;
    double seconds = 0;
    for (std::int64_t n = stride / 2; n < kBenchTokens; n += stride) {
        const auto fed = static_cast<std::size_t>(kBenchPrompt + n);
        const double start = clock();
        cache.rewind(0);
        model.forward({text.data(), fed}, cache, LogitsFor::last, logits, workspace);
        const std::size_t next = argmax(logits.data(), logits.size());
        seconds += clock() - start;
        if (static_cast<TokenId>(next) != text[fed]) {
            throw_error(ErrorKind::internal,
                        join({"new token ", n + 1, " differs with and without the cache"}));
        }
    }
    return seconds * static_cast<double>(stride);
}

double time_samples(const Model& model, WorkClock clock) {
    GenerateOptions options;
    options.max_new_tokens = kLabAnswerTokens;
    options.num_return_sequences = kLabAnswers;
    options.sampling = {.temperature = 1, .top_k = 0, .top_p = 1.0};
    options.eos_token_id.reset();
    const std::vector<TokenId> prompt = prompt_for(model, 24);
    const double start = clock();
    generate(model, prompt, options);
    return clock() - start;
}

DepthProbe::DepthProbe(const Model& model, std::int64_t depth) : model_(model), cache_(model.config()) {
    const ModelConfig& c = model.config();
    const auto filled = static_cast<std::size_t>(depth - kBenchSteps);
    const auto head_dim = static_cast<std::size_t>(c.head_dim);
    std::vector<float> key(head_dim), value(head_dim);
    cache_.append(filled);
    for (std::size_t position = 0; position < filled; ++position) {
        for (std::size_t i = 0; i < head_dim; ++i) {
            key[i] = static_cast<float>((position * 31 + i * 17) % 101) / 101 - 0.5f;
            value[i] = static_cast<float>((position * 13 + i * 29) % 103) / 103 - 0.5f;
        }
        for (std::size_t layer = 0; layer < cache_.layers(); ++layer) {
            for (std::size_t head = 0; head < static_cast<std::size_t>(c.num_key_value_heads); ++head) {
                cache_.store(layer, head, position, key.data(), value.data());
            }
        }
    }
}

DepthRun DepthProbe::time(WorkClock clock) {
    const std::size_t before = cache_.length();
    const double start = clock();
    for (std::int64_t i = 0; i < kBenchSteps; ++i) {
        const TokenId id = static_cast<TokenId>(i);
        model_.forward({&id, 1}, cache_, LogitsFor::last, logits_, workspace_);
    }
    const double seconds = clock() - start;
    const DepthRun run{seconds / static_cast<double>(kBenchSteps), cache_.bytes_used()};
    cache_.rewind(before);
    return run;
}

double least_seconds(const Model& model, std::int64_t start, std::int64_t tokens, double flops,
                     double bandwidth) {
    const ModelConfig& c = model.config();
    const auto as_double = [](auto value) { return static_cast<double>(value); };
    const double fed = as_double(tokens);
    const double head = as_double(c.vocab_size) * as_double(c.hidden_size);  // tied: it is the embedding
    const double layers = as_double(c.parameter_count()) - head;
    const double positions = fed * as_double(start) + fed * (fed + 1) / 2;  // keys visited, all tokens
    const double attention =
        2 * positions * as_double(c.num_hidden_layers * c.num_attention_heads * c.head_dim);
    // Of all tokens but the last, the last layer needs keys and values only.
    const double last_layer = layers / as_double(c.num_hidden_layers) -
                              2 * as_double(c.hidden_size * c.num_key_value_heads * c.head_dim);
    const double last_attention =
        2 * (positions - as_double(start) - fed) * as_double(c.num_attention_heads * c.head_dim);
    const double multiply_adds = fed * layers + head + attention - (fed - 1) * last_layer - last_attention;
    const double bytes =
        as_double(model.weight_bytes()) + as_double(c.kv_bytes(1)) * as_double(start + tokens);
    return std::max(2 * multiply_adds / flops, bytes / bandwidth);
}

}  // namespace mm
