#include "core/model/model.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/join.hpp"
#include "core/model/lanes.hpp"
#include "core/model/layers.hpp"
#include "core/model/not_finite.hpp"
#include "core/model/weights.hpp"
#include "core/model/workspace.hpp"
#include "core/tensor/linear.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

void check_input(const ModelConfig& config, const TokenBatch& tokens, const KvCache& cache,
                 LogitsFor wanted) {
    const auto fail = [](const char* field, std::string_view message) {
        throw_error(ErrorKind::range, message, {.field = field});
    };
    if (tokens.ids.empty()) fail("ids", "there is no token to feed");
    if (tokens.rows == 0 || tokens.ids.size() % tokens.rows != 0) fail("ids", "rows differ in length");
    if (tokens.rows != 1 && tokens.rows != cache.rows()) fail("rows", "the cache has another number of rows");
    if (tokens.rows == 1 && cache.forked())
        fail("rows", "the cache's rows have parted; each needs its own ids");
    if (wanted == LogitsFor::all && tokens.rows != 1) fail("rows", "logits of all positions are for one row");
    const auto shape = cache.k_shape();
    if (cache.layers() != static_cast<std::size_t>(config.num_hidden_layers) ||
        shape[2] != config.num_key_value_heads || shape[3] != config.head_dim) {
        fail("cache", "was made for another model");
    }
    for (const TokenId id : tokens.ids) {
        if (id < 0 || id >= config.vocab_size) {
            fail("ids", join({"token id ", id, " is not in 0 … ", config.vocab_size - 1}));
        }
    }
    const auto most = static_cast<std::size_t>(config.max_position_embeddings);
    const std::size_t added = tokens.ids.size() / tokens.rows;
    if (cache.length() > most || added > most - cache.length()) {
        const bool by_file = !config.max_position_file.empty();
        throw_error(by_file ? ErrorKind::config : ErrorKind::range,
                    join({"position ", most, " is past the model's last position ", most - 1}),
                    {.file = config.max_position_file, .field = "max_position_embeddings"});
    }
}

/// Leaves in buffers.normed what a half of a layer reads.
void norm_into(const LayerContext& context, const Vector& weight, const float* x) {
    const std::size_t width = weight.size();
    const auto eps = static_cast<float>(context.weights.config.rms_norm_eps);
    float* out = room(context.buffers.normed, context.run.count * width);
    context.pool.run(context.run.count, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
            rms_norm(x + r * width, weight.data(), eps, width, out + r * width);
        }
    });
}

/// Takes positions back when a call does not end well (out of memory), so that the cache is as before.
class AppendGuard {
  public:
    AppendGuard(KvCache& cache, std::size_t count, bool per_row) : cache_(cache), before_(cache.length()) {
        cache.append(count, per_row);
    }
    ~AppendGuard() {
        if (!kept_) cache_.rewind(before_);
    }
    AppendGuard(const AppendGuard&) = delete;
    AppendGuard& operator=(const AppendGuard&) = delete;
    void keep() { kept_ = true; }

  private:
    KvCache& cache_;
    std::size_t before_;
    bool kept_ = false;
};

/// From a layer's keys and values to its end, in place. @param x [n, D] the residual stream
void finish_layer(const LayerContext& context, std::size_t layer, float* x) {
    const LayerWeights& weights = context.weights.layers[layer];
    const std::size_t count = context.run.count * weights.input_layernorm.size();
    attend_heads(context, layer);
    add_to(x, context.buffers.mixed.data(), count);
    norm_into(context, weights.post_attention_layernorm, x);
    feed_forward(context, layer);
    add_to(x, context.buffers.mixed.data(), count);
}

/// The tokens of a run whose logits are wanted.
TokenRun kept_of(const TokenRun& run, LogitsFor wanted) {
    if (wanted == LogitsFor::all) return run;
    return wanted == LogitsFor::last ? run.row_ends() : TokenRun{};
}

/// Takes a run through all layers.
/// @param x  [n, D] the tokens' embeddings; afterwards the first rows hold the final states of `kept`
void run_layers(const Weights& w, KvCache& cache, Workspace::Buffers& buffers, ThreadPool& pool,
                const TokenRun& run, const TokenRun& kept, float* x, Trace* trace) {
    const auto width = static_cast<std::size_t>(w.config.hidden_size);
    const std::size_t last = w.layers.size() - 1;
    const auto report = [&](std::int64_t layer, const float* states) {
        if (trace != nullptr) trace->hidden(layer, {states, run.count * width}, width);
    };
    // After the last layer's keys and values, only the kept tokens have a way to go.
    const bool narrows = kept.count < run.count && trace == nullptr;
    const auto begin_layer = [&](const LayerContext& context, std::size_t layer, const float* rows) {
        norm_into(context, w.layers[layer].input_layernorm, rows);
        if (narrows && layer == last) return project_keys_values(context, layer);
        project_heads(context, layer);
    };

    Lanes lanes(w, cache, buffers, pool, run);
    report(-1, x);
    lanes.each(
        [&](const LayerContext& context, std::size_t first) { begin_layer(context, 0, x + first * width); });
    for (std::size_t layer = 0; layer < (narrows ? last : last + 1); ++layer) {
        lanes.each([&](const LayerContext& context, std::size_t first) {
            finish_layer(context, layer, x + first * width);
            if (layer < last) begin_layer(context, layer + 1, x + first * width);
        });
        report(static_cast<std::int64_t>(layer), x);
    }
    if (trace != nullptr) {
        const LayerContext whole{w, cache, buffers.lanes.front(), pool, run};
        norm_into(whole, w.final_norm, x);
        report(w.config.num_hidden_layers, whole.buffers.normed.data());
    }

    for (std::size_t i = 0; i < kept.count; ++i) {
        const std::size_t from = kept.index(i) - run.first;
        if (from != i) std::copy_n(x + from * width, width, x + i * width);
    }
    if (!narrows || kept.count == 0) return;
    // What is left of the last layer, for them alone.
    const LayerContext rest{w, cache, buffers.lanes.front(), pool, kept};
    plan_run(rest);
    norm_into(rest, w.layers[last].input_layernorm, x);
    project_queries(rest, last);
    finish_layer(rest, last, x);
}

}  // namespace

Workspace::Workspace() : buffers_(std::make_unique<Buffers>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
std::uint64_t Workspace::tokens_fed() const {
    return buffers_->tokens_fed;
}
void Workspace::reset_tokens_fed() {
    buffers_->tokens_fed = 0;
}

Model::Model(const TensorTable& table, const ModelConfig& config, std::shared_ptr<ThreadPool> pool,
             const LoadOptions& options)
    : weights_(std::make_unique<const Weights>(table, config, *pool, options)), pool_(std::move(pool)) {}
Model::Model(const TensorTable& table, const ModelConfig& config, std::shared_ptr<ThreadPool> pool)
    : Model(table, config, std::move(pool), {}) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
const ModelConfig& Model::config() const {
    return weights_->config;
}
std::uint64_t Model::weight_bytes() const {
    return weights_->bytes();
}
const std::vector<std::string>& Model::ignored_tensors() const {
    return weights_->ignored;
}

void Model::forward(const TokenBatch& tokens, KvCache& cache, LogitsFor wanted, Matrix& logits,
                    Workspace& workspace, Trace* trace) const {
    const std::size_t start = cache.length();
    const std::uint64_t fed = workspace.tokens_fed();
    compute(tokens, cache, wanted, logits, workspace, trace);
    if (wanted == LogitsFor::none || all_finite({logits.data(), logits.size()})) return;
    FirstNotFinite watch;
    cache.rewind(start);
    compute(tokens, cache, wanted, logits, workspace, &watch);
    cache.rewind(start);
    workspace.buffers().tokens_fed = fed;
    watch.fail(weights_->file, config());
}

void Model::compute(const TokenBatch& tokens, KvCache& cache, LogitsFor wanted, Matrix& logits,
                    Workspace& workspace, Trace* trace) const {
    const Weights& w = *weights_;
    const ModelConfig& c = w.config;
    check_input(c, tokens, cache, wanted);
    const std::size_t total = tokens.ids.size();
    const std::size_t per_row = total / tokens.rows;  // T
    const auto width = static_cast<std::size_t>(c.hidden_size);
    const auto vocabulary = static_cast<std::size_t>(c.vocab_size);
    const auto eps = static_cast<float>(c.rms_norm_eps);
    const std::size_t start = cache.length();

    const std::size_t logit_rows = wanted == LogitsFor::all ? per_row : tokens.rows;
    if (wanted != LogitsFor::none && (logits.shape(0) != logit_rows || logits.shape(1) != vocabulary)) {
        logits.resize({logit_rows, vocabulary});
    }
    w.rope.ensure(start + per_row);
    AppendGuard appended(cache, per_row, tokens.rows != 1);

    Workspace::Buffers& b = workspace.buffers();
    std::size_t logits_done = 0;
    // Runs of equal length: a last run of a few tokens would read all weights for little.
    const std::size_t most = most_tokens_of_run(w, *pool_);
    const std::size_t runs = (total + most - 1) / most;
    const std::size_t longest = (total + runs - 1) / runs;
    for (std::size_t first = 0; first < total; first += longest) {
        const TokenRun run{first, std::min(longest, total - first), per_row, start};
        const TokenRun kept = kept_of(run, wanted);
        float* x = room(b.hidden, run.count * width);
        for (std::size_t t = 0; t < run.count; ++t) {
            w.embed_tokens.row(static_cast<std::size_t>(tokens.ids[first + t]), x + t * width);
        }
        run_layers(w, cache, b, *pool_, run, kept, x, trace);

        // The head is often the largest matrix: only for the positions asked for.
        if (kept.count == 0) continue;
        float* rows = room(b.final_rows, kept.count * width);
        for (std::size_t i = 0; i < kept.count; ++i) {
            rms_norm(x + i * width, w.final_norm.data(), eps, width, rows + i * width);
        }
        linear(rows, kept.count, width, w.head(), logits.data() + logits_done * vocabulary, vocabulary,
               *pool_);
        logits_done += kept.count;
    }
    const std::size_t rows_fed = tokens.rows == 1 ? cache.rows() : tokens.rows;
    b.tokens_fed += std::uint64_t{rows_fed} * per_row;
    appended.keep();
}

std::vector<float> last_logits(const Model& model, std::span<const TokenId> ids) {
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    model.forward({.ids = ids}, cache, LogitsFor::last, logits, workspace);
    return {logits.data(), logits.data() + logits.size()};
}

}  // namespace mm
