#include "core/lab/lab.hpp"

#include <algorithm>

#include "core/base/join.hpp"

namespace mm {
namespace {

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

// Asked for, or needed by one that is.
bool is_run(const LabStep& step, const std::vector<std::string_view>& asked) {
    return contains(asked, step.name) ||
           std::any_of(lab_table().begin(), lab_table().end(),
                       [&](const LabStep& other) { return other.needs_all && contains(asked, other.name); });
}

}  // namespace

std::vector<std::string_view> lab_steps() {
    std::vector<std::string_view> names;
    for (const LabStep& step : lab_table()) names.push_back(step.name);
    return names;
}

std::vector<std::string_view> artifact_names() {
    std::vector<std::string_view> names;
    for (const LabStep& step : lab_table()) names.push_back(step.file);
    return names;
}

LabNeeds lab_needs(const std::vector<std::string>& steps) {
    const std::vector<std::string_view> asked = in_order(steps);
    LabNeeds all{.pretrain = false, .sft = false, .documents = false, .tokenizer = false};
    for (const LabStep& step : lab_table()) {
        if (!is_run(step, asked)) continue;
        all.pretrain = all.pretrain || step.needs.pretrain;
        all.sft = all.sft || step.needs.sft;
        all.documents = all.documents || step.needs.documents;
        all.tokenizer = all.tokenizer || step.needs.tokenizer;
    }
    return all;
}

Steps<LabResults> lab_in_steps(const LabContext& context, std::vector<std::string> steps,
                               std::optional<TimingSummary> times) {
    LabResults results;
    if (times) results.set(*times);
    results.steps = in_order(steps);
    for (const LabStep& step : lab_table()) {
        if (step.work == nullptr || !is_run(step, results.steps)) continue;
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
    for (const LabStep& step : lab_table()) {
        if (contains(results.steps, step.name)) files.push_back({step.file, step.text(results)});
    }
    return files;
}

}  // namespace mm
