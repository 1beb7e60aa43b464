#include "core/lab/lab.hpp"

#include <algorithm>

#include "core/base/join.hpp"
#include "core/lab/cache_py.hpp"
#include "core/lab/report.hpp"

namespace mm {
namespace {

using Context = const LabContext&;
using Results = const LabResults&;

Steps<Done> pair(Context context, LabResults& results, std::string_view step) {
    if (!results.greedy_pair) {
        results.greedy_pair = co_await greedy_pair_in_steps(context, lab_prompt(context), step);
    }
    context.progress(step, 1);
    co_return Done{};
}

Steps<Done> time(Context context, LabResults& results) {
    if (results.times) {
        context.progress("time", 1);
        co_return Done{};
    }
    // The runs of step 1 are the same two generations: they have warmed everything up.
    results.timing = co_await timing_in_steps(context, lab_prompt(context), !results.greedy_pair);
    results.times = results.timing->summary();
    co_return Done{};
}

Steps<Done> kv_bytes(Context context, LabResults& results) {
    results.kv_bytes = run_kv_bytes(context);
    co_return Done{};
}

Steps<Done> temperature(Context context, LabResults& results) {
    results.temperature = co_await temperature_in_steps(context);
    co_return Done{};
}

Steps<Done> top_p(Context context, LabResults& results) {
    results.top_p = co_await top_p_in_steps(context);
    co_return Done{};
}

std::string report_text(const LabResults& results) {
    return report_markdown(*results.greedy_pair, *results.times, *results.kv_bytes, *results.temperature,
                           *results.top_p);
}

struct Step {
    std::string_view name;
    const char* file;
    Steps<Done> (*work)(Context, LabResults&);  // null: nothing to measure
    std::string (*text)(Results);
};

// The order is that of running and of the artifacts. "report" is last: it needs every step above it.
constexpr std::string_view kReport = "report";
const Step kSteps[] = {
    {"cache", "cache.py", nullptr, [](Results) { return cache_py(); }},
    {"same", "same.json", [](Context c, LabResults& r) { return pair(c, r, "same"); },
     [](Results r) { return same_json(*r.greedy_pair); }},
    {"count", "count.json", [](Context c, LabResults& r) { return pair(c, r, "count"); },
     [](Results r) { return count_json(*r.greedy_pair); }},
    {"time", "time.json", time, [](Results r) { return to_json(*r.times); }},
    {"kvbytes", "kvbytes.json", kv_bytes, [](Results r) { return to_json(*r.kv_bytes); }},
    {"temp", "temp.json", temperature, [](Results r) { return to_json(*r.temperature); }},
    {"topp", "topp.json", top_p, [](Results r) { return to_json(*r.top_p); }},
    {kReport, "report.md", nullptr, report_text},
};

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string_view> in_order(const std::vector<std::string>& wanted) {
    const std::vector<std::string_view> all = lab_steps();
    if (wanted.empty()) return all;
    for (const std::string& name : wanted) {
        if (contains(all, name)) continue;
        std::string known;
        for (const std::string_view step : all) known += join({known.empty() ? "" : ", ", step});
        throw_error(ErrorKind::range, join({"unknown lab step '", name, "'"}), {.field = "steps"},
                    join({"The steps are ", known, "."}));
    }
    std::vector<std::string_view> ordered;
    for (const std::string_view step : all) {
        if (std::find(wanted.begin(), wanted.end(), step) != wanted.end()) ordered.push_back(step);
    }
    return ordered;
}

}  // namespace

std::vector<std::string_view> lab_steps() {
    std::vector<std::string_view> names;
    for (const Step& step : kSteps) names.push_back(step.name);
    return names;
}

std::vector<std::string_view> artifact_names() {
    std::vector<std::string_view> names;
    for (const Step& step : kSteps) names.push_back(step.file);
    return names;
}

Steps<LabResults> lab_in_steps(const LabContext& context, std::vector<std::string> steps,
                               std::optional<TimingSummary> times) {
    LabResults results;
    results.times = times;
    results.steps = in_order(steps);
    const bool everything = contains(results.steps, kReport);
    for (const Step& step : kSteps) {
        if (step.work == nullptr || !(everything || contains(results.steps, step.name))) continue;
        context.check_cancelled();
        co_await step.work(context, results);
        co_yield kRest;
    }
    co_return results;
}

LabResults run_lab(const LabContext& context, const std::vector<std::string>& steps,
                   const std::optional<TimingSummary>& times) {
    return run(lab_in_steps(context, steps, times));
}

std::vector<Artifact> artifacts(const LabResults& results) {
    std::vector<Artifact> files;
    for (const Step& step : kSteps) {
        if (contains(results.steps, step.name)) files.push_back({step.file, step.text(results)});
    }
    return files;
}

}  // namespace mm
