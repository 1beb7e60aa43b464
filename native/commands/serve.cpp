// mm-native serve: the built page on this machine, and the native timings for it.
#include "native/serve/serve.hpp"

#include <memory>

#include "native/commands/command.hpp"

namespace mm {

void add_serve(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<ServeOptions>();
    CLI::App& command = add_command(app, "serve", "Serve the built page to this machine, with native timings",
                                    "[--port N] [--dir DIR] [--open]", "mm-native serve --port 8765 --open");
    add_option(command, {"--port", "N", "on 127.0.0.1; 0 takes a free one"}, options->port, {0, 65535});
    add_option(command,
               {"--dir", "DIR", "folder of the page", "Options", "where the build puts it, build/web/site"},
               options->dir);
    add_switch(command, {"--open", "", "show it in the browser"}, options->open);
    run_when_chosen(command, invocation, options, serve);
}

}  // namespace mm
