#include "native/options/help.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace mm {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kColumn = 28;  // where descriptions begin

// Help is ASCII but for a few signs of one column each, so columns are code points.
std::size_t columns(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Words of `text` from `column` on, wrapped; further lines are indented to `indent`.
void wrap(std::ostream& out, const std::string& text, std::size_t column, std::size_t indent) {
    std::istringstream words(text);
    bool first = true;
    for (std::string word; words >> word;) {
        if (!first && column + 1 + columns(word) > kWidth) {
            out << '\n' << std::string(indent, ' ');
            column = indent;
            first = true;
        }
        if (!first) out << ' ';
        out << word;
        column += columns(word) + (first ? 0 : 1);
        first = false;
    }
    out << '\n';
}

void entry(std::ostream& out, const std::string& name, const std::string& text) {
    out << std::string(kIndent, ' ') << name;
    std::size_t at = kIndent + columns(name);
    if (at + 2 > kColumn) {
        out << '\n';
        at = 0;
    }
    out << std::string(kColumn - at, ' ');
    wrap(out, text, kColumn, kColumn);
}

void options(std::ostream& out, const std::string& title, const std::vector<const CLI::Option*>& list) {
    if (list.empty()) return;
    out << '\n' << title << ":\n";
    for (const CLI::Option* option : list) {
        std::string name = option->get_positional() ? option->get_name(true) : option->get_name(false, true);
        if (option->get_type_size() != 0 && !option->get_positional()) name += " " + option->get_type_name();
        std::string text = option->get_description();
        if (!option->get_default_str().empty()) text += " (default: " + option->get_default_str() + ")";
        entry(out, name, text);
    }
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
    std::ostringstream out;
    wrap(out, app->get_description(), 0, 0);
    const std::string usage = "Usage: " + (name.empty() ? app->get_name() : name);
    out << '\n' << usage << ' ';
    wrap(out, usage_, columns(usage) + 1, 7);
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (!commands.empty()) {
        out << "\nCommands:\n";
        for (const CLI::App* command : commands) entry(out, command->get_name(), command->get_description());
    }
    options(out, "Arguments",
            app->get_options([](const CLI::Option* option) { return option->get_positional(); }));
    for (const std::string& group : app->get_groups()) {
        options(out, group, app->get_options([&group](const CLI::Option* option) {
            return option->get_group() == group && option->nonpositional();
        }));
    }
    if (!app->get_footer().empty()) out << "\nExample:\n  " << app->get_footer() << '\n';
    return out.str();
}

void set_help(CLI::App& app, const std::string& usage, const std::string& example) {
    app.formatter(std::make_shared<HelpFormatter>(usage));
    app.footer(example);
}

}  // namespace mm
