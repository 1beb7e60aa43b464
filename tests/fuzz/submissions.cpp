// Students' folders. The input is a text of files: a line "=== NAME" begins each; "=== NAME !" stands for one
// that could not be taken.
#include <array>
#include <span>

#include "core/base/utf8.hpp"
#include "core/lab/checks/check_kv_bytes.hpp"
#include "core/lab/checks/check_same.hpp"
#include "core/lab/checks/check_temperature.hpp"
#include "core/lab/checks/check_top_p.hpp"
#include "core/lab/checks/grade.hpp"
#include "core/lab/checks/render.hpp"
#include "core/lab/lab.hpp"
#include "tests/fuzz/targets.hpp"

namespace mm::fuzz {
namespace {

// Made up: what it holds decides which hints are given, not whether bytes are handled safely.
GradeReference made_up_reference() {
    constexpr Hint kMistake{"some.mistake", "실수", "错误", "a mistake"};
    GradeReference reference;
    reference.set(SameReference{.prompt = std::vector<TokenId>(201, 5),
                                .ids = std::vector<TokenId>(64, 7),
                                .mistaken_ids = {{kMistake, std::vector<TokenId>(64, 8)}}});
    reference.set(KvBytesReference{.kv_bytes = {.tokens = 100,
                                                .measured_bytes = 204800,
                                                .reserved_bytes = 204800,
                                                .k_shape = {1, 100, 2, 32},
                                                .num_hidden_layers = 4,
                                                .num_key_value_heads = 2,
                                                .head_dim = 32,
                                                .num_attention_heads = 4},
                                   .hidden_size = 128});
    reference.set(TemperatureReference{.distinct = {{3, 9, 30}, {2, 8, 30}},
                                       .mistaken_distinct = {{kMistake, {3, 8, 25}}}});
    reference.set(TopPReference{.survivors = {11, 79, 421},
                                .fewest = {11, 79, 421},
                                .most = {11, 79, 421},
                                .mistaken_survivors = {{kMistake, {2, 41, 292}}}});
    return reference;
}

Submission parsed(std::string_view input) {
    constexpr std::string_view kMark = "=== ";
    Submission submission;
    submission.name = "s";
    SubmittedFile* file = nullptr;
    while (!input.empty()) {
        const std::size_t end = std::min(input.find('\n'), input.size());
        std::string_view line = input.substr(0, end);
        const bool ended = end < input.size();
        input.remove_prefix(ended ? end + 1 : end);
        if (line.starts_with(kMark)) {
            line.remove_prefix(kMark.size());
            const bool refused = line.ends_with(" !");
            if (refused) line.remove_suffix(2);
            file = &submission.files[std::string(line)];
            file->state = refused ? FileState::link : FileState::present;
        } else if (file != nullptr) {
            file->text += line;
            if (ended) file->text += '\n';
        } else {
            submission.name += line;
        }
    }
    return submission;
}

}  // namespace

void submission(std::string_view input) {
    static const GradeReference reference = made_up_reference();
    const Submission made = parsed(input);
    const Grade found = grade(made, reference, default_points());
    require(found.checks.size() == check_list().size(), "a check is missing");
    require(found.score() >= 0 && found.score() <= found.max(), "a score outside its range");
    for (const std::string_view name : artifact_names()) {
        require(made.file(name).state == FileState::present || !found.full(), "full without a file");
    }
    // One language for an input, so that an hour tries three times as many.
    constexpr std::array kLanguages{Language::ko, Language::zh, Language::en};
    const RenderOptions options{.language = kLanguages[input.size() % kLanguages.size()],
                                .feedback = Feedback::full,
                                .ref = "demo",
                                .rng = "torch"};
    const std::span<const Grade> grades(&found, 1);
    const std::string json = grades_json(grades, options);
    const std::string gradescope = grades_gradescope(found, options);
    for (const std::string& text : {json, gradescope, grades_text(grades, options),
                                    grades_junit(grades, options), grades_csv(grades)}) {
        require(find_invalid_utf8(text) == std::string::npos, "a result that is not UTF-8");
    }
    parse_json(json, "results");
    parse_json(gradescope, "results");
}

}  // namespace mm::fuzz
