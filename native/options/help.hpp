// How `--help` reads: usage, options in two columns wrapped at 80, an example.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mm {

class HelpFormatter : public CLI::Formatter {
  public:
    /// @param usage what follows the command's name, e.g. "TEXT [options]"
    explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {}

    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

  private:
    std::string usage_;
};

/// Gives a command its usage line and its example.
void set_help(CLI::App& app, const std::string& usage, const std::string& example);

}  // namespace mm
