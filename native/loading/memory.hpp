// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/config.hpp"

namespace mm {

/// The least of what the kernel calls available (swap included), what the control group leaves and what the
/// limit of the address space leaves; empty when none of them can be read.
std::optional<std::uint64_t> available_memory();

/// @throws Error{io} naming `file`, with the needed and the available size, when `bytes` cannot be had.
void require_memory(std::uint64_t bytes, const std::string& file);

/// For a model's weights as the reference forward holds them, and `floats` more.
void require_memory_for_reference(const ModelConfig& config, std::uint64_t floats, const std::string& file);

}  // namespace mm
