#include "native/serve/serve.hpp"

#include <spawn.h>
#include <unistd.h>

#include <fcntl.h>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/lab/json_text.hpp"
#include "native/serve/live_timing.hpp"
#include "native/serve/server.hpp"
#include "native/terminal/console.hpp"
#include "native/terminal/signals.hpp"

extern char** environ;

namespace mm {
namespace {

// The page's place as seen from the program: in the build tree (build/native → build/web/site), installed
// (bin → share/minimind-lab/site), or unpacked from a release's archive (beside the program).
SiteFolder beside_the_program() {
    std::error_code ignored;
    const std::filesystem::path program =
        std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    const std::filesystem::path built = program.parent_path() / "web" / "site";
    for (const std::filesystem::path& folder :
         {built, program.parent_path() / "share" / "minimind-lab" / "site", program / "site"}) {
        if (is_regular_file(folder / "index.html")) return SiteFolder(folder);
    }
    throw_error(ErrorKind::io, "the page is not built", {.file = built.string()},
                "cmake --workflow --preset web builds it; --dir names another folder");
}

void open_in_browser(const std::string& address, Console& console) {
    std::array<const char*, 3> argv{"xdg-open", address.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY,
                                         0);
    }
    pid_t child = 0;
    if (::posix_spawnp(&child, argv[0], &actions, nullptr, const_cast<char* const*>(argv.data()), environ) !=
        0) {
        console.note("--open: there is no xdg-open here; open the address yourself");
    }
    posix_spawn_file_actions_destroy(&actions);
}

}  // namespace

int serve(const ServeOptions& options, Console& console) {
    // Linux tells there where the program and an open file of the page really are; a bare chroot lacks it.
    if (!is_folder("/proc/self/fd")) {
        throw Error(ErrorKind::io, "is not mounted, and serve needs it", {.file = "/proc"},
                    "mount -t proc proc /proc");
    }
    const auto measure = [&console] { return json_text(measure_demo(console)); };
    PageServer server(options.dir ? SiteFolder(*options.dir) : beside_the_program(), measure,
                      {.port = static_cast<std::uint16_t>(options.port)});
    const std::string address = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
    console.out.line(address);
    console.out.flush();
    console.note("serving the page to this machine only; Ctrl-C ends it");
    if (options.open) open_in_browser(address, console);
    server.run(stop_requested);
    throw_if_stopped();
    throw_error(ErrorKind::internal, "the server ended by itself");
}

}  // namespace mm
