#include "core/lab/lab_table.hpp"

#include "core/lab/cache_py.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/kv_bytes.hpp"
#include "core/lab/report.hpp"
#include "core/lab/temperature.hpp"
#include "core/lab/timing.hpp"
#include "core/lab/top_p.hpp"

namespace mm {
namespace checks {

// Each in its check file.
StepChecks cache_checks();
StepChecks same_checks();
StepChecks count_checks();
StepChecks time_checks();
StepChecks kv_bytes_checks();
StepChecks temperature_checks();
StepChecks top_p_checks();
StepChecks report_checks();

}  // namespace checks

namespace {

using Context = const LabContext&;
using Results = const ByType&;

// Steps 1 and 2 share their two runs.
Steps<Done> pair(Context context, ByType& results, std::string_view step) {
    if (results.find<GreedyPairResult>() == nullptr) {
        results.set(co_await greedy_pair_in_steps(context, lab_prompt(context), step));
    }
    context.progress(step, 1);
    co_return Done{};
}

Steps<Done> time(Context context, ByType& results) {
    if (results.find<TimingSummary>() != nullptr) {  // measured elsewhere
        context.progress("time", 1);
        co_return Done{};
    }
    // The runs of step 1 are the same two generations: they have warmed everything up.
    const bool warm_up = results.find<GreedyPairResult>() == nullptr;
    const TimingResult timing = co_await timing_in_steps(context, lab_prompt(context), warm_up);
    results.set(timing);
    results.set(timing.summary());
    co_return Done{};
}

Steps<Done> kv_bytes(Context context, ByType& results) {
    results.set(run_kv_bytes(context));
    co_return Done{};
}

/// Runs the step's work and leaves its result.
template <auto in_steps>
Steps<Done> keep(Context context, ByType& results) {
    results.set(co_await in_steps(context));
    co_return Done{};
}

template <typename Result>
std::string json_of(Results results) {
    return to_json(results.get<Result>());
}

std::string report(Results results) {
    return report_markdown(results.get<GreedyPairResult>(), results.get<TimingSummary>(),
                           results.get<KvBytesResult>(), results.get<TemperatureResult>(),
                           results.get<TopPResult>());
}

constexpr LabNeeds kNothing{.pretrain = false, .sft = false, .documents = false, .tokenizer = false};
constexpr LabNeeds kPrompt{.pretrain = true, .sft = false, .documents = true, .tokenizer = true};
constexpr LabNeeds kPretrain{.pretrain = true, .sft = false, .documents = false, .tokenizer = true};
constexpr LabNeeds kWeights{.pretrain = true, .sft = false, .documents = false, .tokenizer = false};
constexpr LabNeeds kSft{.pretrain = false, .sft = true, .documents = false, .tokenizer = true};

std::vector<LabStep> make_table() {
    return {
        {.name = "cache",
         .file = "cache.py",
         .needs = kNothing,
         .work = nullptr,
         .text = [](Results) { return cache_py(); },
         .checks = checks::cache_checks()},
        {.name = "same",
         .file = "same.json",
         .needs = kPrompt,
         .work = [](Context c, ByType& r) { return pair(c, r, "same"); },
         .text = [](Results r) { return same_json(r.get<GreedyPairResult>()); },
         .checks = checks::same_checks()},
        {.name = "count",
         .file = "count.json",
         .needs = kPrompt,
         .work = [](Context c, ByType& r) { return pair(c, r, "count"); },
         .text = [](Results r) { return count_json(r.get<GreedyPairResult>()); },
         .checks = checks::count_checks()},
        {.name = "time",
         .file = "time.json",
         .needs = kPrompt,
         .work = time,
         .text = json_of<TimingSummary>,
         .checks = checks::time_checks()},
        {.name = "kvbytes",
         .file = "kvbytes.json",
         .needs = kWeights,
         .work = kv_bytes,
         .text = json_of<KvBytesResult>,
         .checks = checks::kv_bytes_checks()},
        {.name = "temp",
         .file = "temp.json",
         .needs = kSft,
         .work = keep<temperature_in_steps>,
         .text = json_of<TemperatureResult>,
         .checks = checks::temperature_checks()},
        {.name = "topp",
         .file = "topp.json",
         .needs = kPretrain,
         .work = keep<top_p_in_steps>,
         .text = json_of<TopPResult>,
         .checks = checks::top_p_checks()},
        {.name = "report",
         .file = "report.md",
         .needs = kNothing,
         .work = nullptr,
         .text = report,
         .needs_all = true,
         .checks = checks::report_checks()},
    };
}

}  // namespace

std::span<const LabStep> lab_table() {
    static const std::vector<LabStep> table = make_table();
    return table;
}

}  // namespace mm
