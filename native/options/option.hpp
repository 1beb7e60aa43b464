// Commands and their options, with strict values, shown defaults and errors that name the option.
//
// CLI11 does the parsing of the command line and stays behind this header: its own conversions of values
// follow the locale, and its templates are most of a compile. Values go through options/parse.hpp.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "native/options/parse.hpp"

namespace CLI {
class App;
}

namespace mm {

/// How an option is shown by --help.
struct OptionHelp {
    std::string name;                // "--top-k", or "TEXT" for an argument without a dash
    std::string type;                // what stands for the value: "N", "FILE", …
    std::string text;                // one sentence
    std::string group = "Options";   // heading it stands under
    std::string shown_default = {};  // shown when leaving the option out means more than a value
};

/// Adds a command: "mm-native NAME USAGE". @param example a whole command line @return owned by `app`
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& usage, const std::string& example);
/// Whether an option stands on the command line. Once the line is parsed. @param name "--top-k"
bool was_typed(const CLI::App& command, const std::string& name);
/// Calls `chosen` once the command's line is parsed.
void when_chosen(CLI::App& command, std::function<void()> chosen);

/// A value that `set` takes from its text. @param set throws Error{range} for what it does not take
void add_option(CLI::App& app, const OptionHelp& help, std::function<void(const std::string&)> set);

/// A text, taken as it is. One of type FILE… or DIR… may hold any bytes but must not be empty; any other must
/// be UTF-8, except what follows the @ where the type ends in "@FILE". The value it has now is the default.
void add_option(CLI::App& app, OptionHelp help, std::string& value);
/// The same, and it may be absent (an empty text is a value too).
void add_option(CLI::App& app, const OptionHelp& help, std::optional<std::string>& value);

/// A text that must be given.
void add_required_option(CLI::App& app, const OptionHelp& help, std::string& value);

/// Arguments without a dash, at least one.
void add_arguments(CLI::App& app, const OptionHelp& help, std::vector<std::string>& values);

struct IntegerRange {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

/// A whole number.
void add_option(CLI::App& app, OptionHelp help, std::int64_t& value, IntegerRange range);
void add_option(CLI::App& app, const OptionHelp& help, std::optional<std::int64_t>& value,
                IntegerRange range);

/// A finite number; what range makes sense is for the code that uses it to say.
void add_option(CLI::App& app, OptionHelp help, double& value);
void add_option(CLI::App& app, const OptionHelp& help, std::optional<double>& value);

/// A seed as torch.manual_seed takes it.
void add_seed_option(CLI::App& app, OptionHelp help, std::uint64_t& value);

/// A switch; `set` is called when it is given. `help.type` is not shown.
void add_switch(CLI::App& app, const OptionHelp& help, std::function<void()> set);
/// A switch that is off unless given.
void add_switch(CLI::App& app, const OptionHelp& help, bool& value);

/// --json, the same for every command. @param keys what the object holds
void add_json_switch(CLI::App& app, const std::string& keys, bool& value);

}  // namespace mm
