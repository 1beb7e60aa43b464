// Options on a CLI11 command, each with a strict parser, a shown default and errors that name it. Every value
// goes through options/parse.hpp, never through CLI11's own conversions, which follow the locale.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "native/options/parse.hpp"

namespace mm {

/// A text, taken as it is. The value it has now is shown as the default, unless it is empty.
CLI::Option* text_option(CLI::App& app, const std::string& name, std::string& value, const std::string& type,
                         const std::string& help);
/// The same for a text that may be absent (an empty one is a value too).
CLI::Option* text_option(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                         const std::string& type, const std::string& help);

/// A whole number in [low, high].
CLI::Option* integer_option(CLI::App& app, const std::string& name, std::int64_t& value, std::int64_t low,
                            std::int64_t high, const std::string& help);
CLI::Option* integer_option(CLI::App& app, const std::string& name, std::optional<std::int64_t>& value,
                            std::int64_t low, std::int64_t high, const std::string& help);

/// A finite number; what range makes sense is for the code that uses it to say.
CLI::Option* number_option(CLI::App& app, const std::string& name, double& value, const std::string& help);
CLI::Option* number_option(CLI::App& app, const std::string& name, std::optional<double>& value,
                           const std::string& help);

/// A seed as torch.manual_seed takes it.
CLI::Option* seed_option(CLI::App& app, const std::string& name, std::uint64_t& value,
                         const std::string& help);

/// A switch that is off unless given.
CLI::Option* switch_option(CLI::App& app, const std::string& name, bool& value, const std::string& help);

}  // namespace mm
