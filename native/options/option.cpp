#include "native/options/option.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/utf8.hpp"
#include "native/options/help.hpp"

namespace mm {
namespace {

// As people write it: 0.85, 1e-06, 1.
std::string shown(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

OptionHelp with_default(OptionHelp help, const std::string& value) {
    if (help.shown_default.empty()) help.shown_default = value;
    return help;
}

// What names a file may hold any bytes, as file systems do, but must not be empty: that is a slip of the
// caller's, an unset variable in a script for one. A text is UTF-8; what "@FILE" stands for is looked at when
// it is read.
void check_text(const OptionHelp& help, const std::string& text) {
    const bool names_file = help.type.starts_with("FILE") || help.type.starts_with("DIR");
    if (names_file && text.empty()) throw_error(ErrorKind::range, "the name is empty", {.field = help.name});
    if (names_file || (help.type.ends_with("@FILE") && text.starts_with('@'))) return;
    if (!is_utf8(text)) throw_error(ErrorKind::range, "is not UTF-8 text", {.field = help.name});
}

}  // namespace

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& usage, const std::string& example) {
    CLI::App& command = *app.add_subcommand(name, description);
    set_help(command, usage, example);
    return command;
}

bool was_typed(const CLI::App& command, const std::string& name) {
    return command.count(name) > 0;
}

void when_chosen(CLI::App& command, std::function<void()> chosen) {
    command.callback(std::move(chosen));
}

namespace {

CLI::Option* add_checked(CLI::App& app, const OptionHelp& help, std::function<void(const std::string&)> set) {
    const auto checked = [help, set = std::move(set)](const std::string& text) {
        check_text(help, text);
        set(text);
    };
    CLI::Option* const option = app.add_option_function<std::string>(help.name, checked, help.text);
    option->type_name(help.type);
    option->group(help.group);
    if (!help.shown_default.empty()) option->default_str(help.shown_default);
    return option;
}

}  // namespace

void add_option(CLI::App& app, const OptionHelp& help, std::function<void(const std::string&)> set) {
    add_checked(app, help, std::move(set));
}

void add_required_option(CLI::App& app, const OptionHelp& help, std::string& value) {
    add_checked(app, help, [&value](const std::string& text) { value = text; })->required();
}

void add_option(CLI::App& app, OptionHelp help, std::string& value) {
    const OptionHelp shown = with_default(std::move(help), value);
    add_option(app, shown, [&value](const std::string& text) { value = text; });
}

void add_option(CLI::App& app, const OptionHelp& help, std::optional<std::string>& value) {
    add_option(app, help, [&value](const std::string& text) { value = text; });
}

void add_arguments(CLI::App& app, const OptionHelp& help, std::vector<std::string>& values) {
    CLI::Option* const option = app.add_option(help.name, values, help.text);
    option->type_name(help.type);
    option->group(help.group);
    option->required();
}

void add_option(CLI::App& app, OptionHelp help, std::int64_t& value, IntegerRange range) {
    const std::string name = help.name;
    add_option(app, with_default(std::move(help), std::to_string(value)),
               [&value, name, range](const std::string& text) {
                   value = parse_integer(name, text, range.low, range.high);
               });
}

void add_option(CLI::App& app, const OptionHelp& help, std::optional<std::int64_t>& value,
                IntegerRange range) {
    add_option(app, help, [&value, name = help.name, range](const std::string& text) {
        value = parse_integer(name, text, range.low, range.high);
    });
}

void add_option(CLI::App& app, OptionHelp help, double& value) {
    const std::string name = help.name;
    add_option(app, with_default(std::move(help), shown(value)),
               [&value, name](const std::string& text) { value = parse_number(name, text); });
}

void add_option(CLI::App& app, const OptionHelp& help, std::optional<double>& value) {
    add_option(app, help,
               [&value, name = help.name](const std::string& text) { value = parse_number(name, text); });
}

void add_seed_option(CLI::App& app, OptionHelp help, std::uint64_t& value) {
    const std::string name = help.name;
    add_option(app, with_default(std::move(help), std::to_string(value)),
               [&value, name](const std::string& text) { value = parse_seed(name, text); });
}

void add_switch(CLI::App& app, const OptionHelp& help, std::function<void()> set) {
    app.add_flag_callback(help.name, std::move(set), help.text)->group(help.group);
}

void add_switch(CLI::App& app, const OptionHelp& help, bool& value) {
    add_switch(app, help, [&value] { value = true; });
}

void add_json_switch(CLI::App& app, const std::string& keys, bool& value) {
    add_switch(app, {"--json", "", "print one JSON object: " + keys}, value);
}

}  // namespace mm
