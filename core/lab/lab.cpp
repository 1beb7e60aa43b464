#include "core/lab/lab.hpp"

#include <algorithm>

#include "core/lab/cache_py.hpp"
#include "core/lab/report.hpp"

namespace mm {
namespace {

void run_pair(const LabContext& context, LabResults& results, std::string_view step) {
    if (!results.greedy_pair) results.greedy_pair = run_greedy_pair(context, lab_prompt(context), step);
    context.progress(step, 1);
}

void run_time(const LabContext& context, LabResults& results) {
    if (results.times) return context.progress("time", 1);
    // The runs of step 1 are the same two generations: they have warmed everything up.
    results.timing = run_timing(context, lab_prompt(context), !results.greedy_pair);
    results.times = results.timing->summary();
}

std::string report_text(const LabResults& results) {
    return report_markdown(*results.greedy_pair, *results.times, *results.kv_bytes, *results.temperature,
                           *results.top_p);
}

using Context = const LabContext&;
using Results = const LabResults&;

struct Step {
    std::string_view name;
    const char* file;
    void (*run)(Context, LabResults&);  // null: nothing to measure
    std::string (*text)(Results);
};

// The order is that of running and of the artifacts. "report" is last: it needs every step above it.
constexpr std::string_view kReport = "report";
const Step kSteps[] = {
    {"cache", "cache.py", nullptr, [](Results) { return cache_py(); }},
    {"same", "same.json", [](Context c, LabResults& r) { run_pair(c, r, "same"); },
     [](Results r) { return same_json(*r.greedy_pair); }},
    {"count", "count.json", [](Context c, LabResults& r) { run_pair(c, r, "count"); },
     [](Results r) { return count_json(*r.greedy_pair); }},
    {"time", "time.json", run_time, [](Results r) { return to_json(*r.times); }},
    {"kvbytes", "kvbytes.json", [](Context c, LabResults& r) { r.kv_bytes = run_kv_bytes(c); },
     [](Results r) { return to_json(*r.kv_bytes); }},
    {"temp", "temp.json", [](Context c, LabResults& r) { r.temperature = run_temperature(c); },
     [](Results r) { return to_json(*r.temperature); }},
    {"topp", "topp.json", [](Context c, LabResults& r) { r.top_p = run_top_p(c); },
     [](Results r) { return to_json(*r.top_p); }},
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
        for (const std::string_view step : all) known += (known.empty() ? "" : ", ") + std::string(step);
        throw Error(ErrorKind::range, "unknown lab step '" + name + "'", {.field = "steps"},
                    "The steps are " + known + ".");
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

LabResults run_lab(const LabContext& context, const std::vector<std::string>& steps,
                   const std::optional<TimingSummary>& times) {
    LabResults results;
    results.times = times;
    results.steps = in_order(steps);
    const bool everything = contains(results.steps, kReport);
    for (const Step& step : kSteps) {
        if (step.run == nullptr || !(everything || contains(results.steps, step.name))) continue;
        context.check_cancelled();
        step.run(context, results);
    }
    return results;
}

std::vector<Artifact> artifacts(const LabResults& results) {
    std::vector<Artifact> files;
    for (const Step& step : kSteps) {
        if (contains(results.steps, step.name)) files.push_back({step.file, step.text(results)});
    }
    return files;
}

}  // namespace mm
