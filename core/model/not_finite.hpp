// Where a forward pass went wrong when its logits are no numbers.
//
// Weights are finite (Model's constructor sees to it), but what is computed with them may overflow float32.
// Every call looks at its logits alone; which layer was the first is found out by a second pass that watches.
#pragma once

#include <optional>
#include <span>

#include "core/model/model.hpp"

namespace mm {

bool all_finite(std::span<const float> values);

/// Remembers the first layer whose output holds a NaN or an infinity.
class FirstNotFinite : public Trace {
  public:
    void hidden(std::int64_t layer, std::span<const float> states, std::size_t width) override;

    /// @throws Error{format} naming the checkpoint's file, and the layer if one was seen
    [[noreturn]] void fail(const std::string& file, const ModelConfig& config) const;

  private:
    std::optional<std::int64_t> first_;
};

}  // namespace mm
