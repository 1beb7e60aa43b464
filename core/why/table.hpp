// The experiments' results told: as a table for people, the same bytes on the page and in the terminal, and
// as the JSON of `mm-native why --json`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/json.hpp"
#include "core/text/tokenizer.hpp"
#include "core/why/attention.hpp"
#include "core/why/draw.hpp"
#include "core/why/experiment.hpp"

namespace mm::why {

/// What was changed, in a few words: "new tokens at position 0".
std::string title(std::string_view experiment);
/// "none, all bits equal", "none", "5th".
std::string first_difference_text(const Result& result);
/// Two significant digits: "8.1", "0.0091", "0".
std::string difference_text(double difference);

/// A line an experiment, under a heading; then what the unchanged runs and the runs that part from them said.
/// At most 80 columns but for the texts.
/// @param tokenizer  null: the texts are left out
std::string table_text(std::span<const Result> results, const Tokenizer* tokenizer);

/// {"name", "kind", "first_difference" (null: none), "largest_difference", "bits_equal", "kv_bytes",
/// "kv_bytes_formula", "kv_bytes_control", "ids", "ids_control"}
Json to_json(const Result& result);
/// {"experiments": […]}
Json to_json(std::span<const Result> results);
/// {"layer", "head", "weights" [T][T], "k", "v" [T][head_dim]}
Json to_json(const Attention& attention, std::size_t layer, std::size_t head);
/// A matrix as rows of numbers, from one of its rows and columns on.
Json to_json(const Matrix& matrix, std::size_t first_row = 0, std::size_t first_column = 0);

}  // namespace mm::why
