// The lab and its grading: long work, begun by a call, carried on by "advance" a few milliseconds at a time,
// then its value is told. The page hears of progress between two calls, and drops the work to cancel it.
#include <utility>

#include "core/lab/bench_file.hpp"
#include "core/lab/checks/grade.hpp"
#include "core/lab/checks/render.hpp"
#include "core/lab/factors.hpp"
#include "core/lab/json_text.hpp"
#include "core/lab/lab.hpp"
#include "core/page/params.hpp"
#include "core/page/task.hpp"
#include "core/page/workbench.hpp"

namespace mm::page {
namespace {

Json advance(Workbench& bench, const Json& params, const Files&) {
    if (!bench.task) throw_error(ErrorKind::range, "no work was begun");
    const double until = bench.clock() + number(params, "milliseconds") / 1000;
    bool more = true;
    try {
        do more = bench.task->advance();
        while (more && bench.clock() < until);
    } catch (...) {
        bench.task.reset();
        throw;
    }
    Fields reply;
    reply.set("step", bench.progress.step).set("fraction", bench.progress.fraction).set("done", !more);
    if (!more) {
        reply.set("value", bench.task->value());
        bench.task.reset();
    }
    return reply;
}

Json drop(Workbench& bench, const Json&, const Files&) {
    bench.task.reset();
    return nullptr;
}

Json answers_json(const TemperatureRow& row) {
    std::size_t total = 0;
    for (const AnswerGroup& group : row.answers) total += group.count;
    return Fields()
        .set("temperature", row.temperature)
        .set("total", total)
        .set("distinct", row.distinct())
        .set("broken", row.broken())
        .set(
            "groups", list_of(row.answers, [](const AnswerGroup& group) {
                return Fields().set("text", group.text).set("count", group.count).set("broken", group.broken);
            }));
}

Json begin_answers(Workbench& bench, const Json& params, const Files&) {
    bench.loaded("sft");
    const std::string question =
        params.contains("question") ? text(params, "question") : std::string(kLabQuestion);
    const double temperature = number(params, "temperature");
    const std::uint64_t from = seed(params, "seed");
    const double top_p = params.contains("topP") ? number(params, "topP") : 1;
    const auto tell = [&bench](double fraction) { bench.progress = {"temp", fraction}; };
    return begin_task<TemperatureRow>(
        bench,
        [&](const LabContext& context) {
            return answers_in_steps(context, question, temperature, from, tell, top_p);
        },
        answers_json);
}

Json times_json(const TimingSummary& times) {
    return Fields()
        .set("withCacheSeconds", times.with_cache_s)
        .set("withoutCacheSeconds", times.without_cache_s)
        .set("speedup", times.speedup);
}

Json timing_json(const TimingResult& timing, std::size_t prompt_length,
                 const std::function<double()>& clock) {
    GreedyPairResult pair;
    pair.prompt_len = static_cast<std::int64_t>(prompt_length);
    pair.new_tokens = kLabNewTokens;
    pair.fed_with_cache = pair.formula_with_cache();
    pair.fed_without_cache = pair.formula_without_cache();
    const TokenTimes token = token_times(pair, timing.summary());
    const CachedTokenTimes cached = cached_token_times(timing, pair.prompt_len, pair.new_tokens);
    const auto run_json = [](const TimedRun& run) {
        return Fields().set("seconds", run.seconds).set("firstStepSeconds", run.first_step_seconds);
    };
    Json json = times_json(timing.summary());
    json["promptLength"] = pair.prompt_len;
    json["newTokens"] = pair.new_tokens;
    json["withCache"] = list_of(timing.with_cache, run_json);
    json["withoutCache"] = list_of(timing.without_cache, run_json);
    json["spread"] = timing.spread();
    json["tokenFactor"] = pair.token_factor();
    json["tokenSeconds"] = Fields()
                               .set("withCache", token.with_cache)
                               .set("withoutCache", token.without_cache)
                               .set("firstStep", cached.first_step)
                               .set("laterSteps", cached.later_steps);
    json["clockResolution"] = clock_resolution(clock);
    return json;
}

Json begin_time(Workbench& bench, const Json& params, const Files&) {
    const std::vector<TokenId> prompt = bench.prompt_ids(object(params, "prompt"), bench.loaded("pretrain"));
    return begin_task<TimingResult>(
        bench, [&](const LabContext& context) { return timing_in_steps(context, prompt, true); },
        [&bench, length = prompt.size()](const TimingResult& timing) {
            return timing_json(timing, length, bench.clock);
        });
}

Json survivors_json(const TopPPosition& position) {
    Json json = Json::object();
    for (const TopPSurvivors& kept : position.survivors) json[number_text(kept.p)] = kept.count;
    return json;
}

Json lab_json(const LabResults& results) {
    const GreedyPairResult& pair = results.get<GreedyPairResult>();
    const KvBytesResult& kv = results.get<KvBytesResult>();
    const TopPResult& top_p = results.get<TopPResult>();
    return Fields()
        .set("artifacts", list_of(artifacts(results),
                                  [](const Artifact& file) {
                                      return Fields().set("name", file.name).set("text", file.text);
                                  }))
        .set("same", Fields()
                         .set("promptLength", pair.prompt_len)
                         .set("newTokens", pair.new_tokens)
                         .set("sameIds", pair.same_ids())
                         .set("ids", pair.ids_with_cache))
        .set("count",
             Fields().set("withCache", pair.fed_with_cache).set("withoutCache", pair.fed_without_cache))
        .set("timing", times_json(results.get<TimingSummary>()))
        .set("kvBytes", Fields()
                            .set("tokens", kv.tokens)
                            .set("measuredBytes", kv.measured_bytes)
                            .set("formulaBytes", kv.formula_bytes())
                            .set("kShape", kv.k_shape))
        .set("answers", list_of(results.get<TemperatureResult>().rows, answers_json))
        .set("topP",
             Fields().set("broad", survivors_json(top_p.broad)).set("sharp", survivors_json(top_p.sharp)));
}

Json begin_lab(Workbench& bench, const Json& params, const Files&) {
    bench.loaded("pretrain");
    bench.loaded("sft");
    std::optional<TimingSummary> times;
    if (params.contains("time")) times = read_time_json(text(params, "time"), "time.json");
    return begin_task<LabResults>(
        bench, [&](const LabContext& context) { return lab_in_steps(context, {}, times); }, lab_json);
}

Submission submission_of(const Json& params) {
    Submission submission;
    submission.name = "page";
    for (const Json& one : objects(params, "artifacts")) {
        std::string content = text(one, "text");
        SubmittedFile& file = submission.files[text(one, "name")];
        file.state = content.size() > kSubmittedFileLimit ? FileState::too_large : FileState::present;
        if (file.state == FileState::present) file.text = std::move(content);
    }
    return submission;
}

Json grade_json(const Grade& grade, const RenderOptions& options) {
    Json checks = Json::array();
    for (std::size_t i = 0; i < grade.checks.size(); ++i) {
        const CheckResult& check = grade.checks[i];
        const CheckDefinition& definition = check_list()[i];
        checks.push_back(Fields()
                             .set("id", check.id)
                             .set("group", definition.group())
                             .set("title", definition.title(options.language))
                             .set("ok", check.ok)
                             .set("points", check.points())
                             .set("max", check.max)
                             .set("hint", hint_text(check, options)));
    }
    return Fields().set("score", grade.score()).set("max", grade.max()).set("checks", std::move(checks));
}

// The reference of earlier calls, or a new one.
Steps<Done> have_reference(Workbench& bench, const LabContext& context) {
    if (!bench.reference) bench.reference = co_await reference_in_steps(context);
    co_return Done{};
}

Json begin_grade(Workbench& bench, const Json& params, const Files&) {
    bench.loaded("pretrain");
    bench.loaded("sft");
    RenderOptions options;
    options.language = parse_language(text(params, "language"));
    options.feedback = parse_feedback(text(params, "feedback"));
    const Submission submission = submission_of(params);
    return begin_task<Done>(
        bench, [&](const LabContext& context) { return have_reference(bench, context); },
        [&bench, submission, options](Done) {
            return grade_json(grade(submission, *bench.reference, default_points()), options);
        });
}

Json import_timings(Workbench&, const Json&, const Files& files) {
    const auto found = files.find("file");
    if (found == files.end()) throw_error(ErrorKind::range, "no file was given", {.field = "file"});
    const File& file = found->second;
    const std::string_view content = as_text(file.bytes);
    if (!looks_like_bench_json(content)) {
        return Fields()
            .set("kind", "time")
            .set("machine", "")
            .set("madeUpWeights", false)
            .set("results", Json::array())
            .set("time", times_json(read_time_json(content, file.name)));
    }
    const BenchFile bench = read_bench_json(content, file.name);
    return Fields()
        .set("kind", "bench")
        .set("machine", bench.machine)
        .set("madeUpWeights", bench.made_up_weights)
        .set("results", list_of(bench.results,
                                [](const BenchLine& line) {
                                    return Fields()
                                        .set("size", line.size)
                                        .set("what", line.what)
                                        .set("threads", line.threads)
                                        .set("kernels", line.instruction_set)
                                        .set("median", line.median)
                                        .set("min", line.min)
                                        .set("max", line.max)
                                        .set("unit", line.unit);
                                }))
        .set("time", Json());
}

constexpr NamedCall kCalls[] = {
    {"advance", advance}, {"drop", drop},         {"answers", begin_answers},       {"time", begin_time},
    {"lab", begin_lab},   {"grade", begin_grade}, {"importTimings", import_timings}};

}  // namespace

std::span<const NamedCall> lab_calls() {
    return kCalls;
}

}  // namespace mm::page
