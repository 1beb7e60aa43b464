#include "core/decode/generate.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/join.hpp"

namespace mm {
namespace {

std::size_t size(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

/// Options that have to be right before anything is built from them.
const GenerateOptions& checked(const GenerateOptions& options, const Model& model,
                               std::span<const TokenId> prompt) {
    options.validate(model.config().vocab_size);
    if (prompt.empty()) throw_error(ErrorKind::range, "must hold at least one id", {.field = "prompt"});
    return options;
}

}  // namespace

GenerateOptions GenerateOptions::lab_greedy(std::int64_t max_new_tokens, bool use_cache) {
    GenerateOptions options;
    options.max_new_tokens = max_new_tokens;
    options.sampling.do_sample = false;
    options.sampling.top_k = 0;
    options.sampling.top_p = 1.0;
    options.eos_token_id.reset();
    options.use_cache = use_cache;
    return options;
}

void GenerateOptions::validate(std::int64_t vocab_size) const {
    const auto fail = [](const char* field, std::string_view message) {
        throw_error(ErrorKind::range, message, {.field = field});
    };
    sampling.validate(vocab_size);
    if (max_new_tokens < 0) fail("max_new_tokens", "must not be negative");
    if (num_return_sequences < 1) fail("num_return_sequences", "must be at least 1");
    constexpr std::int64_t kLogits = std::int64_t{1} << 28;  // [B, V] float32 of 1 GiB
    if (num_return_sequences > std::max<std::int64_t>(1, kLogits / vocab_size)) {
        fail("num_return_sequences",
             join({num_return_sequences, " rows of ", vocab_size, " logits are too many"}));
    }
}

struct Session::State {
    const Model& model;
    const GenerateOptions options;
    const std::size_t batch;       // B
    const std::size_t vocabulary;  // V
    const std::size_t prompt_length;
    std::vector<std::vector<TokenId>> rows;  // [B] prompt and new ids
    std::vector<char> row_finished;          // [B]
    std::vector<TokenId> next;               // [B]
    std::vector<KvCache> caches;  // [B] once the prompt is read; before, and without use_cache, one
    Workspace workspace;
    Matrix logits;      // [B, V]
    Matrix row_logits;  // [1, V], for rows computed one at a time
    Sampler sampler;
    std::vector<float> probabilities;  // [B, V]
    TorchGenerator generator;
    StepRecord record;
    std::vector<std::uint64_t> fed_totals;  // after each step; [0] = 0

    State(const Model& m, std::span<const TokenId> prompt, const GenerateOptions& o)
        : model(m),
          options(checked(o, m, prompt)),
          batch(size(o.num_return_sequences)),
          vocabulary(size(m.config().vocab_size)),
          prompt_length(prompt.size()),
          rows(batch, std::vector<TokenId>(prompt.begin(), prompt.end())),
          row_finished(batch, 0),
          next(batch),
          logits(Matrix::from_shape({batch, vocabulary})),
          sampler(o.sampling, vocabulary),
          generator(o.rng) {
        caches.reserve(batch);
        caches.emplace_back(m.config());
        generator.manual_seed(o.seed);
        for (std::uint64_t i = 0; i < o.rng_u32_skipped; ++i) generator.random_u32();
        if (!o.sampling.greedy()) probabilities.resize(batch * vocabulary);
        // No run gets past the model's last position.
        const std::int64_t positions = m.config().max_position_embeddings;
        const std::size_t most = size(std::min(o.max_new_tokens, positions));
        for (auto& row : rows) row.reserve(prompt_length + most);
        fed_totals.reserve(most + 1);
        fed_totals.push_back(0);
        record.finished = o.max_new_tokens == 0;
    }

    void forward() {
        if (!options.use_cache) {
            for (std::size_t r = 0; r < batch; ++r) forward_anew(r);
        } else if (record.step == 0) {
            forward_prompt();
        } else {
            model.forward(next, caches, LogitsFor::last, logits, workspace);
        }
    }

    /// The whole text of one row.
    void forward_anew(std::size_t row) {
        caches.front().rewind(0);
        model.forward(rows[row], caches.front(), LogitsFor::last, row_logits, workspace);
        std::copy_n(row_logits.data(), vocabulary, logits.data() + row * vocabulary);
    }

    /// The prompt, the same for all rows: read once, and shared by their caches.
    void forward_prompt() {
        forget_caches();
        model.forward(rows[0], caches.front(), LogitsFor::last, row_logits, workspace);
        while (caches.size() < batch) caches.push_back(caches.front().copy());
        for (std::size_t r = 0; r < batch; ++r) {
            std::copy_n(row_logits.data(), vocabulary, logits.data() + r * vocabulary);
        }
    }

    void forget_caches() {
        caches.erase(caches.begin() + 1, caches.end());
        caches.front().rewind(0);
    }

    void choose() {
        const auto row_logits_of = [this](std::size_t r) {
            return std::span<const float>(logits.data() + r * vocabulary, vocabulary);
        };
        if (options.sampling.greedy()) {
            for (std::size_t r = 0; r < batch; ++r) next[r] = sampler.greedy(row_logits_of(r), rows[r]);
            return;
        }
        for (std::size_t r = 0; r < batch; ++r) {
            const std::span<float> out(probabilities.data() + r * vocabulary, vocabulary);
            if (r > 0 && record.step == 0) {
                std::copy_n(probabilities.data(), vocabulary,
                            out.data());  // nothing tells the rows apart yet
            } else {
                sampler.probabilities(row_logits_of(r), rows[r], out);
            }
        }
        // Every row draws in every step, finished or not: the random stream is MiniMind's.
        generator.multinomial(probabilities, batch, vocabulary, next);
    }

    void append() {
        bool all_finished = options.eos_token_id.has_value();
        for (std::size_t r = 0; r < batch; ++r) {
            if (options.eos_token_id) {
                if (row_finished[r] != 0) next[r] = *options.eos_token_id;
                if (next[r] == *options.eos_token_id) row_finished[r] = 1;
                all_finished = all_finished && row_finished[r] != 0;
            }
            rows[r].push_back(next[r]);
        }
        record.finished = all_finished || record.step == options.max_new_tokens;
    }
};

Session::Session(const Model& model, std::span<const TokenId> prompt, const GenerateOptions& options)
    : state_(std::make_unique<State>(model, prompt, options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

bool Session::done() const {
    return state_->record.finished;
}
std::span<const KvCache> Session::caches() const {
    return std::span(state_->caches).first(state_->options.use_cache ? state_->caches.size() : 0);
}
const TorchGenerator& Session::generator() const {
    return state_->generator;
}

const StepRecord& Session::step() {
    State& s = *state_;
    if (done()) throw_error(ErrorKind::internal, "a finished session was asked for a step");
    s.forward();
    s.choose();
    StepRecord& record = s.record;
    ++record.step;
    s.append();
    record.tokens = s.next;
    record.logits = {s.logits.data(), s.batch * s.vocabulary};
    // MiniMind feeds the prompt once a row.
    const bool shared = s.options.use_cache && record.step == 1;
    record.fed = s.workspace.tokens_fed() * (shared ? s.batch : 1);
    s.workspace.reset_tokens_fed();
    record.fed_total += record.fed;
    s.fed_totals.push_back(record.fed_total);
    if (s.options.use_cache) {
        record.cache_bytes = KvCache::bytes_used(s.caches);
        record.cache_bytes_reserved = KvCache::bytes_reserved(s.caches);
    }
    return record;
}

void Session::rewind(std::int64_t step) {
    State& s = *state_;
    if (step < 0 || step > s.record.step) {
        throw_error(ErrorKind::range,
                    join({"must be a step already made, 0 … ", s.record.step, ", not ", step}),
                    {.field = "step"});
    }
    if (!s.options.sampling.greedy() || s.options.eos_token_id) {
        throw_error(ErrorKind::unsupported, "only a greedy run without an eos can go back");
    }
    // The last token of a step is fed by the next one.
    const std::size_t known = s.prompt_length + size(step);
    for (auto& row : s.rows) row.resize(known);
    if (step == 0) s.forget_caches();
    for (KvCache& cache : s.caches) {
        if (s.options.use_cache && step > 0) cache.rewind(std::min(cache.length(), known - 1));
    }
    s.workspace.reset_tokens_fed();
    for (std::size_t r = 0; r < s.batch && step > 0; ++r) s.next[r] = s.rows[r].back();
    s.fed_totals.resize(size(step) + 1);
    s.record = StepRecord{};
    s.record.step = step;
    s.record.fed_total = s.fed_totals.back();
    s.record.finished = step == s.options.max_new_tokens;
}

GenerateResult Session::result() const {
    const State& s = *state_;
    GenerateResult out;
    for (const auto& row : s.rows) {
        out.rows.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(s.prompt_length), row.end());
    }
    out.steps = s.record.step;
    out.tokens_fed = s.record.fed_total;
    if (s.options.use_cache) {
        out.kv_bytes = KvCache::bytes_used(s.caches);
        out.k_shape = s.caches.front().k_shape();
        out.k_shape[0] = static_cast<std::int64_t>(s.batch);
    }
    out.rng_u32_consumed = s.generator.u32_consumed();
    return out;
}

Steps<GenerateResult> generate_in_steps(const Model& model, std::vector<TokenId> prompt,
                                        GenerateOptions options,
                                        std::function<bool(const StepRecord&)> on_step) {
    Session session(model, prompt, options);
    while (!session.done()) {
        const StepRecord& record = session.step();
        if (on_step && !on_step(record)) throw_error(ErrorKind::cancelled, "generation was stopped");
        co_yield kRest;
    }
    co_return session.result();
}

GenerateResult generate(const Model& model, std::span<const TokenId> prompt, const GenerateOptions& options,
                        const std::function<bool(const StepRecord&)>& on_step) {
    return run(generate_in_steps(model, {prompt.begin(), prompt.end()}, options, on_step));
}

}  // namespace mm
