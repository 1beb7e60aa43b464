#include "core/model/model.hpp"

#include <string>
#include <utility>

#include "core/base/join.hpp"
#include "core/model/activations.hpp"
#include "core/model/forward.hpp"
#include "core/model/not_finite.hpp"
#include "core/model/weights.hpp"

namespace mm {
namespace {

void check_input(const ModelConfig& config, std::span<const TokenId> ids, std::span<const KvCache> batch,
                 LogitsFor wanted) {
    const auto fail = [](const char* field, std::string_view message) {
        throw_error(ErrorKind::range, message, {.field = field});
    };
    if (batch.empty()) fail("batch", "there is no cache to fill");
    if (ids.empty()) fail("ids", "there is no token to feed");
    if (ids.size() % batch.size() != 0) fail("ids", "rows differ in length");
    if (wanted == LogitsFor::all && batch.size() != 1)
        fail("batch", "logits of all positions are for one row");
    for (const TokenId id : ids) {
        if (id < 0 || id >= config.vocab_size) {
            fail("ids", join({"token id ", id, " is not in 0 … ", config.vocab_size - 1}));
        }
    }
    const auto most = static_cast<std::size_t>(config.max_position_embeddings);
    const std::size_t added = ids.size() / batch.size();
    for (const KvCache& cache : batch) {
        const auto shape = cache.k_shape();
        if (cache.layers() != static_cast<std::size_t>(config.num_hidden_layers) ||
            shape[2] != config.num_key_value_heads || shape[3] != config.head_dim) {
            fail("batch", "a cache was made for another model");
        }
        if (cache.length() > most || added > most - cache.length()) {
            const bool by_file = !config.max_position_file.empty();
            throw_error(by_file ? ErrorKind::config : ErrorKind::range,
                        join({"position ", most, " is past the model's last position ", most - 1}),
                        {.file = config.max_position_file, .field = "max_position_embeddings"});
        }
    }
}

/// Takes positions back when a call does not end well (out of memory), so that the caches are as before.
class AppendGuard {
  public:
    AppendGuard(std::span<KvCache> batch, std::size_t count) : batch_(batch), count_(count) {}
    ~AppendGuard() {
        for (KvCache& cache : batch_.first(appended_)) cache.rewind(cache.length() - count_);
    }
    AppendGuard(const AppendGuard&) = delete;
    AppendGuard& operator=(const AppendGuard&) = delete;
    void append() {
        for (; appended_ < batch_.size(); ++appended_) batch_[appended_].append(count_);
    }
    void keep() { appended_ = 0; }

  private:
    std::span<KvCache> batch_;
    std::size_t count_;
    std::size_t appended_ = 0;
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

void Model::forward(std::span<const TokenId> ids, KvCache& cache, LogitsFor wanted, Matrix& logits,
                    Workspace& workspace, Trace* trace) const {
    forward(ids, std::span(&cache, 1), wanted, logits, workspace, trace);
}

void Model::forward(std::span<const TokenId> ids, std::span<KvCache> batch, LogitsFor wanted, Matrix& logits,
                    Workspace& workspace, Trace* trace) const {
    const Weights& w = *weights_;
    check_input(w.config, ids, batch, wanted);
    const std::size_t per_row = ids.size() / batch.size();  // T
    const std::size_t logit_rows = wanted == LogitsFor::all ? per_row : batch.size();
    if (wanted != LogitsFor::none && (logits.shape(0) != logit_rows || logits.shape(1) != w.dims.vocab)) {
        logits.resize({logit_rows, w.dims.vocab});
    }
    AppendGuard appended(batch, per_row);
    appended.append();
    for (const KvCache& cache : batch) w.rope.ensure(cache.length());
    const auto run = [&](Trace* watching) {
        mm::forward(w, ids, batch, wanted, logits.data(), workspace.buffers().activations, *pool_, watching);
    };
    run(trace);
    if (wanted != LogitsFor::none && !all_finite({logits.data(), logits.size()})) {
        FirstNotFinite watch;
        run(&watch);  // the same again, with somebody who looks
        watch.fail(w.file, w.config);
    }
    workspace.buffers().tokens_fed += ids.size();
    appended.keep();
}

std::vector<float> last_logits(const Model& model, std::span<const TokenId> ids) {
    KvCache cache(model.config());
    Workspace workspace;
    Matrix logits;
    model.forward(ids, cache, LogitsFor::last, logits, workspace);
    return {logits.data(), logits.data() + logits.size()};
}

}  // namespace mm
