// mm-native grade: judges students' folders by what the lab's rules and the reference model give.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/lab/checks/render.hpp"
#include "core/lab/lab.hpp"
#include "native/commands/command.hpp"
#include "native/files/file.hpp"
#include "native/files/submission_folder.hpp"
#include "native/loading/lab_inputs.hpp"
#include "native/options/lab_options.hpp"
#include "native/terminal/signals.hpp"

namespace mm {
namespace {

struct GradeOptions {
    std::vector<std::string> folders;
    LabPaths paths;
    ModelOptions model;
    std::string chat_format = "chatml";
    RngStream rng = RngStream::torch;
    std::optional<std::string> weights;
    std::string format = "text";
    std::string language = "ko";
    std::string feedback = "hint";
    bool json = false;
};

// Every choice is checked before anything is loaded.
RenderOptions checked_options(GradeOptions& options) {
    if (options.json) {
        if (options.format != "text" && options.format != "json") {
            throw_error(ErrorKind::range, "means --format json, but another format is given too",
                        {.field = "--json"});
        }
        options.format = "json";
    }
    const std::vector<std::string> formats = {"text", "json", "junit", "gradescope", "csv"};
    if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
        throw_error(ErrorKind::range,
                    "unknown format '" + options.format + "' (known: text, json, junit, gradescope, csv)",
                    {.field = "--format"});
    }
    if (options.format == "gradescope" && options.folders.size() != 1) {
        throw_error(ErrorKind::range, "Gradescope's results.json is for one submission: give one folder",
                    {.field = "--format"});
    }
    RenderOptions render;
    render.language = parse_language(options.language);
    render.feedback = parse_feedback(options.feedback);
    render.rng = std::string(to_string(options.rng));
    return render;
}

Points load_points(const std::optional<std::string>& file) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    return file ? parse_weights(read_file(*file, kMost), *file) : default_points();
}

GradeReference load_reference(const GradeOptions& options, const LabSource& source, Console& console) {
    const LabInputs inputs = load_lab_inputs(source, {}, options.model, console);
    return compute_reference(make_lab_context(inputs, options.chat_format, options.rng, console));
}

std::vector<Grade> grade_all(const GradeOptions& options, const GradeReference& reference,
                             const Points& points, Console& console) {
    const std::vector<std::string_view> names = artifact_names();
    std::vector<Grade> grades;
    grades.reserve(options.folders.size());
    for (const std::string& folder : options.folders) {
        throw_if_stopped();
        console.progress("grade",
                         static_cast<double>(grades.size()) / static_cast<double>(options.folders.size()));
        grades.push_back(grade(read_submission(folder, names), reference, points));
    }
    console.clear_progress();
    return grades;
}

std::string rendered(const std::vector<Grade>& grades, const std::string& format,
                     const RenderOptions& options) {
    if (format == "json") return grades_json(grades, options);
    if (format == "junit") return grades_junit(grades, options);
    if (format == "gradescope") return grades_gradescope(grades.front(), options);
    if (format == "csv") return grades_csv(grades);
    return grades_text(grades, options);
}

int run(const GradeOptions& given, Console& console) {
    GradeOptions options = given;
    RenderOptions render = checked_options(options);
    const Points points = load_points(options.weights);
    const LabSource source = choose_lab_source(options.paths, {});
    if (!source.note.empty()) console.note(source.note);
    render.ref = source.kind == "demo" ? "demo" : source.ref;
    const GradeReference reference = load_reference(options, source, console);
    const std::vector<Grade> grades = grade_all(options, reference, points, console);
    const bool full = std::all_of(grades.begin(), grades.end(), [](const Grade& one) { return one.full(); });
    const int status = full ? kDone : kCheckFailed;
    try {
        console.out.write(rendered(grades, options.format, render));
        console.out.flush();
    } catch (const OutputClosed&) {
        return status;  // what was found does not depend on who listens
    }
    return status;
}

}  // namespace

void add_grade(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<GradeOptions>();
    CLI::App& command = add_command(app, "grade", "Check students' folders against the reference",
                                    "DIR… [--ref DIR] [--format FORMAT] [options]",
                                    "mm-native grade --lang en class/*/infer");
    LabPaths& paths = options->paths;
    add_arguments(command, {"DIR", "DIR", "a student's folder with the lab's files"}, options->folders);
    add_ref_option(command, paths);
    add_lab_file_options(command, paths);
    add_option(command, {"--format", "FORMAT", "text, json, junit, gradescope or csv"}, options->format);
    add_json_switch(command, "version, ref, rng, submissions", options->json);
    add_option(command,
               {"--weights", "FILE",
                "points: a JSON object from a check's id, or a group (its part before the dot), to a number"},
               options->weights);
    add_option(command, {"--lang", "LANG", "language of titles and hints: ko, zh or en"}, options->language);
    add_option(
        command,
        {"--feedback", "LEVEL", "full: with the expected values; hint: what to look at; none: passed or not"},
        options->feedback);
    add_chat_format_option(command, options->chat_format, "Options");
    add_rng_option(command, options->rng);
    add_tokenizer_option(command, options->model);
    add_loading_options(command, options->model);
    run_when_chosen(command, invocation, options, run);
}

}  // namespace mm
