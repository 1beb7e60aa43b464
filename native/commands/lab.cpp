// mm-native lab: runs the lab's steps and puts the artifacts into a folder.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/printable.hpp"
#include "core/lab/lab.hpp"
#include "native/commands/command.hpp"
#include "native/commands/lab_summary.hpp"
#include "native/files/inputs.hpp"
#include "native/files/result_folder.hpp"
#include "native/loading/lab_inputs.hpp"
#include "native/loading/lab_source.hpp"
#include "native/options/lab_options.hpp"

namespace mm {
namespace {

struct LabOptions {
    LabPaths paths;
    ModelOptions model;
    std::optional<std::string> only;
    std::string chat_format = "chatml";
    RngStream rng = RngStream::torch;
    bool json = false;
};

// The steps that --only names; empty: all.
std::vector<std::string> chosen_steps(const LabOptions& options) {
    if (!options.only) return {};
    const std::vector<std::string> steps = parse_list("--only", *options.only);
    const std::vector<std::string_view> known = lab_steps();
    std::string names;
    for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    if (steps.empty())
        throw_error(ErrorKind::range, "names no step; there are " + names, {.field = "--only"});
    for (const std::string& step : steps) {
        if (std::find(known.begin(), known.end(), step) == known.end()) {
            throw_error(ErrorKind::range, "no step is named '" + step + "'; there are " + names,
                        {.field = "--only"});
        }
    }
    return steps;
}

const char* source_text(const LabSource& source) {
    if (source.kind == "official") return "the official checkpoints in /opt/mm";
    return source.kind == "demo" ? "the built-in demo checkpoints" : "your checkpoints";
}

void note_completed(const ResultFolder& folder, const std::string& out, Console& console) {
    if (!folder.completed().empty()) {
        console.note(out + ": completed the results of an earlier run that was interrupted");
    }
}

// The results of chosen steps, which go nowhere else.
void print_only(const std::vector<Artifact>& files, Json& found, bool json, Console& console) {
    if (!json) {
        for (const Artifact& file : files) {
            if (files.size() > 1) console.out.line("# " + file.name);
            console.out.write(file.text);
        }
        return;
    }
    found["results"] = Json::object();
    for (const Artifact& file : files) {
        const bool parsed = file.name.ends_with(".json");
        found["results"][file.name] = parsed ? parse_json(file.text, file.name) : Json(file.text);
    }
    print_json(console, found);
}

int run(const LabOptions& options, Console& console) {
    const double started = monotonic_seconds();
    const std::vector<std::string> steps = chosen_steps(options);
    const LabNeeds needs = lab_needs(steps);
    const LabSource source = choose_lab_source(options.paths, needs);
    if (!source.note.empty()) console.note(source.note);
    const LabInputs inputs = load_lab_inputs(source, needs, options.model, console);
    const LabContext context = make_lab_context(inputs, options.chat_format, options.rng, console);
    context.check_cancelled();

    // Before the work: a folder that cannot be written is told at once.
    std::optional<ResultFolder> folder;
    if (!options.only) {
        for (const std::string_view name : artifact_names()) {
            refuse_to_replace_input((std::filesystem::path(source.out) / name).string(), "--out");
        }
        folder.emplace(source.out);
        note_completed(*folder, source.out, console);
    }
    const LabResults results = run_lab(context, steps);
    console.clear_progress();
    const std::vector<Artifact> files = artifacts(results);

    Json found;
    found["out"] = options.only ? Json(nullptr) : Json(escape_invalid_utf8(source.out));
    found["source"] = source.kind;
    found["rng"] = std::string(to_string(options.rng));
    found["chat_format"] = options.chat_format;
    found["files"] = Json::array();
    if (folder) {
        for (const Artifact& file : files) {
            folder->write(file.name, file.text);
            found["files"].push_back(file.name);
        }
        context.check_cancelled();
        folder->commit();
    }
    found["seconds"] = monotonic_seconds() - started;

    const GreedyPairResult* const pair = results.find<GreedyPairResult>();
    const bool same = pair == nullptr || pair->same_ids();
    const int status = same ? kDone : kCheckFailed;
    try {
        if (options.only) {
            print_only(files, found, options.json, console);
        } else if (options.json) {
            print_json(console, found);
        } else {
            console.out.line(std::string("MiniMind Lab on ") + source_text(source));
            console.out.line("");
            console.out.write(lab_summary(results, console.columns(), console.styled()));
            console.out.line("");
            console.out.line(std::to_string(files.size()) + " files in " + printable(source.out));
        }
        console.out.flush();
    } catch (const OutputClosed&) {
        return status;  // what was found does not depend on who listens
    }
    return status;
}

}  // namespace

void add_lab(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<LabOptions>();
    CLI::App& command =
        add_command(app, "lab", "Run the lab and write its artifacts", "[--ref DIR] [--out DIR] [options]",
                    "mm-native lab --ref /opt/mm --out infer");
    LabPaths& paths = options->paths;
    add_ref_option(command, paths);
    add_option(command,
               {"--out", "DIR", "folder for the results; other files in it stay", "Options",
                "/root/mm/infer when REF is /opt/mm, else ./infer"},
               paths.out);
    add_lab_file_options(command, paths);
    std::string names;
    for (const std::string_view step : lab_steps()) names += (names.empty() ? "" : ",") + std::string(step);
    add_option(command, {"--only", "LIST", "print these results and write nothing: " + names}, options->only);
    add_chat_format_option(command, options->chat_format, "Options");
    add_rng_option(command, options->rng);
    add_json_switch(command, "out, source, rng, chat_format, files, seconds", options->json);
    add_tokenizer_option(command, options->model);
    add_loading_options(command, options->model);
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
