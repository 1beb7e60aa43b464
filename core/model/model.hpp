// MiniMind's forward pass: tokens in, logits out, cache grown.
//
// Prefill and decode are the same call. A row's logits are the same bits however the tokens were split over
// calls, with how many other rows and on how many threads they were computed. Sampling, text and files are
// other layers' business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoint/tensor_table.hpp"
#include "core/model/config.hpp"
#include "core/model/kv_cache.hpp"
#include "core/tensor/thread_pool.hpp"
#include "core/tensor/types.hpp"

namespace mm {

struct LoadOptions;
struct Weights;  // packed panels and norms, immutable (core/model/weights.hpp)

/// For which positions logits are computed. Every token fed gets its keys and values in every layer; what the
/// last layer does beyond them is computed for these positions only, unless a Trace watches.
enum class LogitsFor { none, last, all };

/// Watches a forward pass; every span is valid only during the call.
class Trace {
  public:
    virtual ~Trace() = default;
    /// Hidden states after `layer` (−1: the embedding; L: the final norm), [tokens, D]. A long input passes
    /// through the layers in runs of tokens: each run reports −1 … L before the next begins.
    virtual void hidden(std::int64_t layer, std::span<const float> states, std::size_t width) = 0;
};

/// Scratch memory and the count of tokens that entered `forward`. One for each thread of execution that runs
/// models.
class Workspace {
  public:
    Workspace();
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

    /// Tokens that entered forward since construction or reset: B · T of every call, as MiniMind's
    /// input_ids.numel().
    std::uint64_t tokens_fed() const;
    void reset_tokens_fed();

    struct Buffers;  // core/model only
    Buffers& buffers() { return *buffers_; }

  private:
    std::unique_ptr<Buffers> buffers_;
};

class Model {
  public:
    /// Packs the weights of a checkpoint. The table's bytes are not needed afterwards.
    /// @param pool computes; models may share one. Calls that overlap in time need pools of their own, unless
    ///             the pool has one thread.
    /// @throws Error{config} for an invalid config; Error{format, shape, unsupported} naming file, tensor
    ///         and field: a tensor is missing, has another shape or type, holds NaN or infinity, or is one
    ///         that this architecture does not have but would have to compute with (a bias, an adapter of
    ///         LoRA).
    Model(const TensorTable& table, const ModelConfig& config, std::shared_ptr<ThreadPool> pool);
    /// The same with a say in how (core/model/weights.hpp).
    Model(const TensorTable& table, const ModelConfig& config, std::shared_ptr<ThreadPool> pool,
          const LoadOptions& options);
    ~Model();
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;

    const ModelConfig& config() const;
    /// What the checkpoint became, for reading (core/reference).
    const Weights& weights() const { return *weights_; }
    /// Bytes the packed weights take; tied weights once.
    std::uint64_t weight_bytes() const;
    /// Tensors of the checkpoint that take no part in the computation, in file order, for a note to the user.
    const std::vector<std::string>& ignored_tensors() const;

    /// Appends T tokens to each of B caches and writes logits.
    /// @param ids     [B, T] row-major, 1 ≤ T; each in [0, V)
    /// @param batch   B ≥ 1 caches made for this model's config; length() + T ≤ max_position_embeddings
    /// @param logits  resized to [n, V] when its shape differs: n = B (last), T (all; B = 1 only),
    ///                untouched (none)
    /// @throws Error{range} naming the id or the position; Error{config} naming config.json when it sets the
    ///         limit that the position passes; Error{format} naming the checkpoint and the first layer that
    ///         gives NaN or infinite values, when logits do. The caches are as they were then.
    void forward(std::span<const TokenId> ids, std::span<KvCache> batch, LogitsFor wanted, Matrix& logits,
                 Workspace& workspace, Trace* trace = nullptr) const;
    /// The same for one row.
    void forward(std::span<const TokenId> ids, KvCache& cache, LogitsFor wanted, Matrix& logits,
                 Workspace& workspace, Trace* trace = nullptr) const;

  private:
    std::unique_ptr<const Weights> weights_;
    std::shared_ptr<ThreadPool> pool_;
};

/// Logits [V] after `ids`, computed on their own.
/// @throws Error{range} as Model::forward
std::vector<float> last_logits(const Model& model, std::span<const TokenId> ids);

}  // namespace mm
