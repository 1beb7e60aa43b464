// mm-native bench: how fast this machine runs models of the usual sizes, beside what it can do at most.
#include "native/bench/bench.hpp"

#include <memory>

#include "native/commands/command.hpp"
#include "native/terminal/signals.hpp"

namespace mm {
namespace {

struct BenchCommand {
    BenchOptions bench;
    std::string sizes = "lab,minimind-3";
    bool json = false;
};

int run(const BenchCommand& command, Console& console) {
    BenchOptions options = command.bench;
    options.sizes = parse_list("--sizes", command.sizes);
    options.on_progress = [&console](double fraction) { console.progress("bench", fraction); };
    options.stop = [] { return stop_requested(); };
    const BenchReport report = run_bench(options);
    console.clear_progress();
    if (command.json) {
        print_json(console, to_json(report));
    } else {
        console.out.write(to_text(report, console.columns()));
    }
    return kDone;
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<BenchCommand>();
    CLI::App& command = add_command(
        app, "bench", "Time prefill, decoding and step 3 on made-up weights, beside this machine's limits",
        "[--sizes LIST] [--threads LIST] [options]", "mm-native bench --sizes lab --threads 1,2");
    add_option(command, {"--sizes", "LIST", "lab (1.15 M parameters), minimind-3 (63.9 M)"}, options->sizes);
    add_option(
        command,
        {"--threads", "LIST", "numbers of threads, each measured", "Options", "1 and physical cores"},
        [options](const std::string& text) {
            options->bench.threads.clear();
            for (const std::string& one : parse_list("--threads", text)) {
                options->bench.threads.push_back(static_cast<int>(parse_integer("--threads", one, 1, 256)));
            }
            if (options->bench.threads.empty()) {
                throw_error(ErrorKind::range, "at least one is needed", {.field = "--threads"});
            }
        });
    add_option(command,
               {"--contexts", "LIST",
                "depths at which decoding and the cache's bytes are measured too, e.g. 64,512,4096",
                "Options", "none"},
               [options](const std::string& text) {
                   options->bench.contexts.clear();
                   for (const std::string& one : parse_list("--contexts", text)) {
                       options->bench.contexts.push_back(parse_integer("--contexts", one));
                   }
               });
    add_json_switch(command,
                    "machine, results[]: size, what, threads, median, min, max, unit, share_of_limit",
                    options->json);
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
