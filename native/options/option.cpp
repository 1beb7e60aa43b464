#include "native/options/option.hpp"

#include <functional>

namespace mm {
namespace {

using Setter = std::function<void(const std::string&)>;

CLI::Option* add(CLI::App& app, const std::string& name, const std::string& type, const std::string& help,
                 const std::string& shown_default, Setter set) {
    CLI::Option* const option = app.add_option_function<std::string>(name, std::move(set), help);
    option->type_name(type);
    if (!shown_default.empty()) option->default_str(shown_default);
    return option;
}

// As people write it: 0.85, 1e-06, 1.
std::string number_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

}  // namespace

CLI::Option* text_option(CLI::App& app, const std::string& name, std::string& value, const std::string& type,
                         const std::string& help) {
    return add(app, name, type, help, value, [&value](const std::string& text) { value = text; });
}

CLI::Option* text_option(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                         const std::string& type, const std::string& help) {
    return add(app, name, type, help, "", [&value](const std::string& text) { value = text; });
}

CLI::Option* integer_option(CLI::App& app, const std::string& name, std::int64_t& value, std::int64_t low,
                            std::int64_t high, const std::string& help) {
    return add(
        app, name, "N", help, std::to_string(value),
        [&value, name, low, high](const std::string& text) { value = parse_integer(name, text, low, high); });
}

CLI::Option* integer_option(CLI::App& app, const std::string& name, std::optional<std::int64_t>& value,
                            std::int64_t low, std::int64_t high, const std::string& help) {
    return add(app, name, "N", help, "", [&value, name, low, high](const std::string& text) {
        value = parse_integer(name, text, low, high);
    });
}

CLI::Option* number_option(CLI::App& app, const std::string& name, double& value, const std::string& help) {
    return add(app, name, "X", help, number_text(value),
               [&value, name](const std::string& text) { value = parse_number(name, text); });
}

CLI::Option* number_option(CLI::App& app, const std::string& name, std::optional<double>& value,
                           const std::string& help) {
    return add(app, name, "X", help, "",
               [&value, name](const std::string& text) { value = parse_number(name, text); });
}

CLI::Option* seed_option(CLI::App& app, const std::string& name, std::uint64_t& value,
                         const std::string& help) {
    return add(app, name, "S", help, std::to_string(value),
               [&value, name](const std::string& text) { value = parse_seed(name, text); });
}

CLI::Option* switch_option(CLI::App& app, const std::string& name, bool& value, const std::string& help) {
    return app.add_flag_callback(
        name, [&value] { value = true; }, help);
}

}  // namespace mm
