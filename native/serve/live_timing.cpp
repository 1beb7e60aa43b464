#include "native/serve/live_timing.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lab/greedy_pair.hpp"
#include "native/bench/bench.hpp"
#include "native/bench/machine.hpp"
#include "native/loading/cpu_count.hpp"
#include "native/loading/lab_inputs.hpp"
#include "native/terminal/console.hpp"

namespace mm {
namespace {

constexpr const char* kDtype = "float16";  // of the demo's file

BenchResult row(const std::string& what, std::vector<double> values, int threads, const char* unit) {
    return {"demo", what, threads, spread_of(std::move(values)), unit, std::nullopt};
}

}  // namespace

Json measure_demo(Console& console) {
    const LabNeeds needs{.pretrain = true, .sft = false, .documents = true};
    const LabSource source = choose_lab_source({.pretrain = "demo:pretrain", .sft = "demo:sft"}, needs);
    const int threads = usable_cores();
    ModelOptions options;
    options.threads = threads;
    const LabInputs inputs = load_lab_inputs(source, needs, true, options, console);
    LabContext context = make_lab_context(inputs, "chatml", RngStream::torch, console);
    context.on_progress = nullptr;  // the page shows that it waits; nobody looks here
    const std::vector<TokenId> prompt = lab_prompt(context);
    const TimingResult timing = run_timing(context, prompt, true);
    context.check_cancelled();
    return live_timing_json(timing, static_cast<std::int64_t>(prompt.size()), kLabNewTokens, threads, kDtype);
}

Json live_timing_json(const TimingResult& timing, std::int64_t prompt_len, std::int64_t new_tokens,
                      int threads, const std::string& dtype) {
    std::vector<double> prefill, decode, with, without;
    for (const TimedRun& run : timing.with_cache) {
        prefill.push_back(static_cast<double>(prompt_len) / run.first_step_seconds);
        decode.push_back(static_cast<double>(new_tokens - 1) / (run.seconds - run.first_step_seconds));
        with.push_back(run.seconds);
    }
    for (const TimedRun& run : timing.without_cache) without.push_back(run.seconds);
    const std::string length = std::to_string(prompt_len) + ", " + dtype;
    BenchReport report{describe_machine(), {}};
    report.machine.threads = {threads};
    report.results = {row("prefill " + length, prefill, threads, "tokens/s"),
                      row("decode after " + length, decode, threads, "tokens/s"),
                      row("step 3 with cache, " + dtype, with, threads, "s"),
                      row("step 3 without cache, " + dtype, without, threads, "s")};
    return to_json(report);
}

}  // namespace mm
