#include "core/model/model.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/model/layers.hpp"
#include "core/model/weights.hpp"
#include "core/model/workspace.hpp"
#include "core/tensor/linear.hpp"
#include "core/tensor/ops.hpp"

namespace mm {
namespace {

// Tokens that pass through the layers together: bounds the scratch memory of a long prompt. Bits do not
// depend on it.
constexpr std::size_t kRun = 128;

// Threads share a run by its outputs: every product is split, and all meet after it. Where a layer's weights
// fit into each core's own cache and there are tokens enough, they share it by tokens instead, each taking
// its own (a lane) through a whole layer, and meet once a layer: a token needs the others only for their keys
// and values. Bits do not depend on it.
constexpr std::uint64_t kLaneLayerBytes = 3u << 19;
constexpr std::size_t kLaneTokens = 12;

bool shares_tokens(const Weights& w, int threads) {
    return threads > 1 && !w.config.use_moe &&
           (w.bytes() - w.embed_tokens.bytes()) / w.layers.size() <= kLaneLayerBytes;
}

// Lanes of a run of n tokens; two a thread where there are many tokens, since later ones see more keys.
std::size_t lanes_for(bool share_tokens, int threads, std::size_t n) {
    const auto team = static_cast<std::size_t>(threads);
    if (!share_tokens || n < team * kLaneTokens) return 1;
    return n < 2 * team * kLaneTokens ? team : 2 * team;
}

// The lane that the i-th task takes: a thread's two tasks are an early lane and a late one.
std::size_t lane_of(std::size_t task, std::size_t lanes, int threads) {
    if (lanes != 2 * static_cast<std::size_t>(threads)) return task;
    return task % 2 == 0 ? task / 2 : lanes - 1 - task / 2;
}

void check_input(const ModelConfig& config, const TokenBatch& tokens, const KvCache& cache,
                 LogitsFor wanted) {
    const auto fail = [](const char* field, const std::string& message) {
        throw Error(ErrorKind::range, message, {.field = field});
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
            fail("ids", "token id " + std::to_string(id) + " is not in 0 … " +
                            std::to_string(config.vocab_size - 1));
        }
    }
    const auto most = static_cast<std::size_t>(config.max_position_embeddings);
    const std::size_t added = tokens.ids.size() / tokens.rows;
    if (cache.length() > most || added > most - cache.length()) {
        fail("max_position_embeddings", "position " + std::to_string(most) +
                                            " is past the model's last position " + std::to_string(most - 1));
    }
}

void norm_rows(const float* x, const Vector& weight, float eps, std::size_t rows, float* out,
               ThreadPool& pool) {
    const std::size_t width = weight.size();
    pool.run(rows, 16, [&](std::size_t begin, std::size_t end) {
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
    ThreadPool alone(1);  // of a lane
    const bool share_tokens = shares_tokens(w, pool_->threads());
    std::size_t logits_done = 0;
    // Runs of equal length: a last run of a few tokens would read all weights for little.
    const std::size_t most = share_tokens ? kRun * static_cast<std::size_t>(pool_->threads()) : kRun;
    const std::size_t runs = (total + most - 1) / most;
    const std::size_t longest = (total + runs - 1) / runs;
    for (std::size_t first = 0; first < total; first += longest) {
        const std::size_t n = std::min(longest, total - first);
        const std::size_t lanes = lanes_for(share_tokens, pool_->threads(), n);
        if (b.lanes.size() < lanes) b.lanes.resize(lanes);
        float* x = room(b.hidden, n * width);
        const auto report = [&](std::int64_t layer, const float* states) {
            if (trace != nullptr) trace->hidden(layer, {states, n * width}, width);
        };
        const auto lane_context = [&](std::size_t lane) {
            const std::size_t from = lane * n / lanes;
            return LayerContext{w,
                                cache,
                                b.lanes[lane],
                                lanes == 1 ? *pool_ : alone,
                                {first + from, (lane + 1) * n / lanes - from, per_row, start}};
        };
        // Calls step(context, rows of the residual stream) for every lane.
        const auto each_lane = [&](auto&& step) {
            const auto tasks = [&](std::size_t begin, std::size_t end) {
                for (std::size_t task = begin; task < end; ++task) {
                    const LayerContext context = lane_context(lane_of(task, lanes, pool_->threads()));
                    step(context, x + (context.run.first - first) * width);
                }
            };
            if (lanes == 1) return tasks(0, 1);
            pool_->run(lanes, 1, tasks);
        };
        const auto begin_layer = [&](const LayerContext& context, std::size_t layer, const float* rows) {
            float* normed = room(context.buffers.normed, context.run.count * width);
            norm_rows(rows, w.layers[layer].input_layernorm, eps, context.run.count, normed, context.pool);
            project_heads(context, layer);
        };
        const auto finish_layer = [&](const LayerContext& context, std::size_t layer, float* rows) {
            const std::size_t count = context.run.count;
            attend_heads(context, layer);
            add_to(rows, context.buffers.mixed.data(), count * width);
            norm_rows(rows, w.layers[layer].post_attention_layernorm, eps, count,
                      context.buffers.normed.data(), context.pool);
            feed_forward(context, layer);
            add_to(rows, context.buffers.mixed.data(), count * width);
        };

        for (std::size_t t = 0; t < n; ++t) {
            w.embed_tokens.row(static_cast<std::size_t>(tokens.ids[first + t]), x + t * width);
        }
        report(-1, x);
        for (std::size_t lane = 0; lane < lanes; ++lane) plan_run(lane_context(lane));
        each_lane([&](const LayerContext& context, float* rows) { begin_layer(context, 0, rows); });
        for (std::size_t layer = 0; layer < w.layers.size(); ++layer) {
            each_lane([&](const LayerContext& context, float* rows) {
                finish_layer(context, layer, rows);
                if (layer + 1 < w.layers.size()) begin_layer(context, layer + 1, rows);
            });
            report(static_cast<std::int64_t>(layer), x);
        }
        if (trace != nullptr) {
            std::vector<float> normed(n * width);
            norm_rows(x, w.final_norm, eps, n, normed.data(), *pool_);
            report(c.num_hidden_layers, normed.data());
        }
        if (wanted == LogitsFor::none) continue;

        // The head is often the largest matrix: only for the positions asked for.
        const TokenRun run{first, n, per_row, start};
        float* rows = room(b.final_rows, n * width);
        std::size_t count = 0;
        for (std::size_t t = 0; t < n; ++t) {
            if (wanted == LogitsFor::last && !run.ends_row(t)) continue;
            rms_norm(x + t * width, w.final_norm.data(), eps, width, rows + count++ * width);
        }
        if (count == 0) continue;
        linear(rows, count, width, w.head(), logits.data() + logits_done * vocabulary, vocabulary, *pool_);
        logits_done += count;
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
