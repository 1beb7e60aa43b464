// mm-native demo: the built-in demo as a folder in the lab's layout, for PyTorch, cache.py and own
// experiments.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "core/base/printable.hpp"
#include "native/commands/command.hpp"
#include "native/files/output_file.hpp"
#include "native/loading/demo.hpp"
#include "native/terminal/signals.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
    std::string folder;
    bool json = false;
};

struct DemoPart {
    const char* folder;
    const char* name;
    Bytes bytes;

    std::string path() const { return std::string(folder) + "/" + name; }
};

std::array<DemoPart, 4> parts() {
    const DemoFiles files = demo_files();
    return {{{"ref", "pretrain.pth", files.pretrain},
             {"ref", "sft.pth", files.sft},
             {"data", "pretrain_val.jsonl", files.documents},
             {"tokenizer", "tokenizer.json", files.tokenizer}}};
}

bool holds_the_demo(const fs::path& folder) {
    for (const DemoPart& part : parts()) {
        const std::string file = (folder / part.path()).string();
        if (!is_regular_file(file)) return false;
        if (fs::file_size(file) != part.bytes.size()) return false;
        if (read_file(file, part.bytes.size()) != as_text(part.bytes)) return false;
    }
    return true;
}

// A folder that goes away with all that is in it unless it was renamed.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const fs::path& beside) : path_(beside.string() + ".XXXXXX") {
        if (::mkdtemp(path_.data()) == nullptr) throw io_error(beside.string(), "cannot be made", errno);
        const mode_t mask = ::umask(0);
        ::umask(mask);
        ::chmod(path_.c_str(), 0777 & ~mask);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    void renamed() { path_.clear(); }

  private:
    std::string path_;
};

// All of it or nothing: the files are written beside DIR and the whole is renamed to it.
void write_demo(const std::string& folder) {
    std::error_code failed;
    fs::path target = fs::weakly_canonical(fs::path(folder) / "", failed);
    if (failed) target = fs::path(folder).lexically_normal();
    if (!target.has_filename()) target = target.parent_path();
    if (fs::exists(target, failed)) {
        if (!fs::is_directory(target, failed)) {
            throw_error(ErrorKind::io, "is not a folder; the demo is written into a new one",
                        {.file = folder});
        }
        if (holds_the_demo(target)) return;
        if (!fs::is_empty(target, failed) || target == fs::current_path(failed)) {
            throw_error(ErrorKind::io, "is in use; the demo is written into a new folder or an empty one",
                        {.file = folder});
        }
    }
    fs::create_directories(target.parent_path(), failed);
    TemporaryFolder temporary(target);
    for (const DemoPart& part : parts()) {
        throw_if_stopped();
        fs::create_directories(fs::path(temporary.path()) / part.folder);
        OutputFile file((fs::path(temporary.path()) / part.path()).string(), "DIR");
        file.write(as_text(part.bytes));
        file.commit();
    }
    if (::rename(temporary.path().c_str(), target.c_str()) != 0) {
        throw io_error(folder, "cannot be put in place", errno);
    }
    temporary.renamed();
}

int run(const DemoOptions& options, Console& console) {
    write_demo(options.folder);
    Json found;
    found["files"] = Json::array();
    for (const DemoPart& part : parts()) {
        found["files"].push_back(escape_invalid_utf8((fs::path(options.folder) / part.path()).string()));
    }
    if (options.json) {
        print_json(console, found);
        return kDone;
    }
    for (const Json& file : found["files"]) console.out.line(printable(file.get<std::string>()));
    return kDone;
}

}  // namespace

void add_demo(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<DemoOptions>();
    CLI::App& command = add_command(
        app, "demo", "Write the built-in demo as a folder in the lab's layout, for --ref and cache.py",
        "DIR [--json]", "mm-native demo demo && python3 infer/cache.py --ref demo");
    add_required_option(command, {"DIR", "DIR", "made; an empty folder, or the demo itself, may be there"},
                        options->folder);
    add_json_switch(command, "files", options->json);
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
