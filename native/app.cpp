#include "native/app.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/lab/json_text.hpp"
#include "native/commands/command.hpp"
#include "native/options/help.hpp"
#include "native/terminal/signals.hpp"
#include "native/version.hpp"

namespace mm {
namespace {

// A program may be started with its standard streams closed; the next file opened would then take their
// number, and an error line would land in a result. Reading /dev/null from the wrong side fails as it should.
void hold_standard_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) == -1) {
            static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

// Memory may run out where nothing can be thrown: in a destructor (nlohmann's takes memory to free a list),
// or while an earlier error is being told. Whatever else ends here is a bug, and aborts.
[[noreturn]] void end_without_memory() {
    constexpr std::string_view kLine = "mm-native: not enough memory for this\n";
    try {
        if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
        static_cast<void>(!::write(STDERR_FILENO, kLine.data(), kLine.size()));
        ::_exit(kBadInput);
    } catch (...) {
    }
    std::abort();
}

std::string program_hint(const std::string& command) {
    return "mm-native " + (command.empty() ? "" : command + " ") + "--help shows what there is";
}

void report(Console& console, const std::string& line, const std::string& hint = "") {
    console.note(line);
    if (!hint.empty()) console.note("hint: " + hint);
}

// Arguments as CLI11 wants them, last first. An empty value written "--name=" is split, because CLI11 would
// take the next argument for it.
std::vector<std::string> arguments(int argc, const char* const* argv) {
    std::vector<std::string> list;
    bool options_ended = false;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        options_ended = options_ended || argument == "--";
        if (!options_ended && argument.size() > 3 && argument.starts_with("--") &&
            argument.find('=') == argument.size() - 1) {
            list.push_back(argument.substr(0, argument.size() - 1));
            list.emplace_back();
        } else {
            list.push_back(argument);
        }
    }
    std::reverse(list.begin(), list.end());
    return list;
}

// CLI11's words, turned into ours where they are for programmers.
std::string usage_line(const CLI::ParseError& error) {
    std::string line = error.what();
    for (const auto& [theirs, ours] :
         {std::pair<std::string, std::string>{"The following arguments were not expected: ",
                                              "unexpected arguments: "},
          {"The following argument was not expected: ", "unexpected argument: "},
          {"A subcommand is required", "no command given"}}) {
        if (line.starts_with(theirs)) line.replace(0, theirs.size(), ours);
    }
    // "--n: 1 required N missing", "--n: At Most 1 required but received 2"
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        const std::string option = line.substr(0, line.find(':'));
        line = option + (line.find("received") != std::string::npos ? ": is given twice" : ": needs a value");
    }
    return line;
}

void check_command(const CLI::App& app, const std::vector<std::string>& list) {
    if (list.empty() || list.back().starts_with("-")) return;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == list.back()) return;
    }
    throw_error(ErrorKind::range, "no such command", {.field = list.back()});
}

// The core speaks of ids, max_position_embeddings, …; whoever typed --ids is told of --ids.
Error as_typed(const Error& error, int argc, const char* const* argv) {
    ErrorContext context = error.context();
    if (error.kind() != ErrorKind::range || !context.file.empty() || context.field.empty()) return error;
    std::string option = context.field == "max_position_embeddings" ? "max_positions" : context.field;
    std::replace(option.begin(), option.end(), '_', '-');
    option.insert(0, "--");
    const bool typed = std::any_of(argv, argv + argc, [&option](const char* argument) {
        return argument == option || std::string_view(argument).starts_with(option + "=");
    });
    if (!typed) return error;
    context.field = option;
    return Error(error.kind(), error.message(), context, error.hint());
}

int status_of(const Error& error) {
    switch (error.kind()) {
        case ErrorKind::range:
            return kUsage;
        case ErrorKind::cancelled:
            return stop_signal() != 0 ? 128 + stop_signal() : static_cast<int>(kInternal);
        case ErrorKind::internal:
            return kInternal;
        case ErrorKind::io:
        case ErrorKind::format:
        case ErrorKind::unsupported:
        case ErrorKind::config:
        case ErrorKind::shape:
        case ErrorKind::tokenizer:
            return kBadInput;
    }
    return kInternal;
}

// Everything that may fail; `command` is told for the hint.
int parse_and_run(Console& console, int argc, const char* const* argv, std::string& command) {
    CLI::App app("MiniMind Lab: what a KV cache and sampling do in a small language model, measured.",
                 "mm-native");
    app.set_version_flag("--version", "mm-native " + version_line(), "show the version");
    app.set_help_flag("-h,--help", "show this help");
    app.require_subcommand(1);
    set_help(app, "COMMAND [options]", "mm-native lab --out infer");
    Invocation invocation{console, {}};
    for (const auto add :
         {add_lab, add_grade, add_generate, add_logits, add_topp, add_why, add_attention, add_tokenize,
          add_detokenize, add_rng, add_inspect, add_bench, add_demo, add_serve}) {
        add(app, invocation);
    }
    try {
        std::vector<std::string> list = arguments(argc, argv);
        check_command(app, list);
        if (!list.empty() && !list.back().starts_with("-")) command = list.back();
        app.parse(std::move(list));
    } catch (const CLI::CallForHelp&) {
        console.out.write(app.help());
        console.out.flush();
        return kDone;
    } catch (const CLI::CallForVersion& version) {
        console.out.line(version.what());
        console.out.flush();
        return kDone;
    }
    const int status = invocation.run();
    console.out.flush();
    return status;
}

}  // namespace

void print_json(Console& console, const Json& object) {
    console.out.write(json_text(object));
}

int run_app(int argc, const char* const* argv) {
    std::set_terminate(end_without_memory);
    hold_standard_streams();
    install_signal_handlers();
    Console console;
    std::string command;
    try {
        return parse_and_run(console, argc, argv, command);
    } catch (const OutputClosed&) {
        return kDone;
    } catch (const Error& error) {
        const int status = status_of(error);
        report(console, as_typed(error, argc, argv).what(),
               error.hint().empty() && status == kUsage ? program_hint(command) : error.hint());
        return status;
    } catch (const CLI::ParseError& error) {
        report(console, usage_line(error), program_hint(command));
        return kUsage;
    } catch (const std::bad_alloc&) {
        report(console, "not enough memory for this");
        return kBadInput;
    } catch (const std::length_error&) {
        report(console, "not enough memory for this");
        return kBadInput;
    } catch (const std::exception& error) {
        report(console, std::string("internal error: ") + error.what());
        return kInternal;
    }
}

}  // namespace mm
