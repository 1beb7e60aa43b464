// What a command is: options on a CLI11 subcommand, and what to run once they are parsed. One file a command;
// app.cpp lists them.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>

#include "core/base/json.hpp"
#include "native/app.hpp"
#include "native/options/option.hpp"
#include "native/terminal/console.hpp"

namespace mm {

/// Exit statuses of the program.
enum ExitStatus : int { kDone = 0, kCheckFailed = 1, kUsage = 2, kBadInput = 3, kInternal = 4 };

/// Filled by the command that was named; the program runs it after parsing.
struct Invocation {
    Console& console;
    std::function<int()> run;  // returns the exit status
};

void add_lab(CLI::App& app, Invocation& invocation);
void add_grade(CLI::App& app, Invocation& invocation);
void add_generate(CLI::App& app, Invocation& invocation);
void add_logits(CLI::App& app, Invocation& invocation);
void add_topp(CLI::App& app, Invocation& invocation);
void add_why(CLI::App& app, Invocation& invocation);
void add_attention(CLI::App& app, Invocation& invocation);
void add_tokenize(CLI::App& app, Invocation& invocation);
void add_detokenize(CLI::App& app, Invocation& invocation);
void add_rng(CLI::App& app, Invocation& invocation);
void add_demo(CLI::App& app, Invocation& invocation);
void add_inspect(CLI::App& app, Invocation& invocation);
void add_bench(CLI::App& app, Invocation& invocation);
void add_serve(CLI::App& app, Invocation& invocation);

/// What the command does once its line is parsed: `run(options, console)`.
template <typename Options>
void run_when_chosen(CLI::App& command, Invocation& invocation, std::shared_ptr<Options> options,
                     int (*run)(const std::type_identity_t<Options>&, Console&)) {
    when_chosen(command, [options = std::move(options), run, &invocation] {
        invocation.run = [options, run, &invocation] { return run(*options, invocation.console); };
    });
}

/// The object on one line of standard output.
void print_json(Console& console, const Json& object);

}  // namespace mm
