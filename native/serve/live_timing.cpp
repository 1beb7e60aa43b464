#include "native/serve/live_timing.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/lab/greedy_pair.hpp"
#include "core/model/weights.hpp"
#include "core/tensor/instruction_set.hpp"
#include "native/bench/machine.hpp"
#include "native/loading/checkpoint.hpp"
#include "native/loading/cpu_count.hpp"
#include "native/loading/lab_inputs.hpp"
#include "native/terminal/console.hpp"

namespace mm {
namespace {

constexpr const char* kModel = "demo:pretrain";

struct Setting {
    int threads;
    Keep keep;
    InstructionSet kernels;
};

// From the browser's way on, each with one thing more than the one before.
std::vector<Setting> settings() {
    const InstructionSet fastest = instruction_set();
    std::vector<Setting> list = {{1, Keep::float32, InstructionSet::baseline}};
    if (fastest != InstructionSet::baseline) list.push_back({1, Keep::float32, fastest});
    list.push_back({1, Keep::type, fastest});
    if (usable_cores() > 1) list.push_back({usable_cores(), Keep::type, fastest});
    return list;
}

}  // namespace

Json measure_demo(Console& console) {
    const LabNeeds needs{.pretrain = true, .sft = false, .documents = true};
    const LabSource source = choose_lab_source({.pretrain = kModel, .sft = "demo:sft"}, needs);
    ModelOptions options;
    options.threads = 1;
    LabInputs inputs = load_lab_inputs(source, needs, options, console);
    const Checkpoint checkpoint(kModel, std::nullopt);
    const ModelConfig config = inputs.pretrain->config();
    BenchReport report{describe_machine(), false, {}};
    for (const Setting& setting : settings()) {
        const KernelsForced kernels(setting.kernels);
        const auto pool = std::make_shared<ThreadPool>(setting.threads);
        inputs.pretrain.emplace(checkpoint.table(), config, pool, LoadOptions{.keep = setting.keep});
        LabContext context = make_lab_context(inputs, "chatml", RngStream::torch, console);
        context.on_progress = nullptr;  // the page shows that it waits; nobody looks here
        const std::vector<TokenId> prompt = lab_prompt(context);
        const TimingResult timing = run_timing(context, prompt, true);
        context.check_cancelled();
        report.machine.threads.push_back(setting.threads);
        add_live_timing(report,
                        {.threads = setting.threads,
                         .dtype = setting.keep == Keep::float32 ? "float32" : "float16",  // the demo's file
                         .instruction_set = std::string(to_string(setting.kernels))},
                        timing, static_cast<std::int64_t>(prompt.size()), kLabNewTokens);
    }
    return to_json(report);
}

void add_live_timing(BenchReport& report, const LiveSetting& setting, const TimingResult& timing,
                     std::int64_t prompt_len, std::int64_t new_tokens) {
    std::vector<double> prefill, decode, with, without;
    for (const TimedRun& run : timing.with_cache) {
        prefill.push_back(static_cast<double>(prompt_len) / run.first_step_seconds);
        decode.push_back(static_cast<double>(new_tokens - 1) / (run.seconds - run.first_step_seconds));
        with.push_back(run.seconds);
    }
    for (const TimedRun& run : timing.without_cache) without.push_back(run.seconds);
    const auto add = [&](const std::string& what, std::vector<double> values, const char* unit) {
        report.results.push_back({"demo", what + ", " + setting.dtype, setting.threads,
                                  setting.instruction_set, spread_of(std::move(values)), unit, std::nullopt});
    };
    const std::string length = std::to_string(prompt_len);
    add("prefill " + length, prefill, "tokens/s");
    add("decode after " + length, decode, "tokens/s");
    add("step 3 with cache", with, "s");
    add("step 3 without cache", without, "s");
}

}  // namespace mm
