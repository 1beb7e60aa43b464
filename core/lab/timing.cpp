#include "core/lab/timing.hpp"

#include <algorithm>
#include <cmath>

#include "core/decode/generate.hpp"
#include "core/lab/greedy_pair.hpp"

namespace mm {
namespace {

using Runs = std::array<TimedRun, kTimedRuns>;

const TimedRun& median(const Runs& runs) {
    std::array<const TimedRun*, kTimedRuns> sorted{};
    std::transform(runs.begin(), runs.end(), sorted.begin(), [](const TimedRun& run) { return &run; });
    std::sort(sorted.begin(), sorted.end(),
              [](const TimedRun* a, const TimedRun* b) { return a->seconds < b->seconds; });
    return *sorted[kTimedRuns / 2];
}

double spread_of(const Runs& runs) {
    const auto [shortest, longest] = std::minmax_element(
        runs.begin(), runs.end(), [](const TimedRun& a, const TimedRun& b) { return a.seconds < b.seconds; });
    return longest->seconds / shortest->seconds;
}

// A difference of two clock readings carries digits that mean nothing below the nanosecond.
double to_nanoseconds(double seconds) {
    return std::round(seconds * 1e9) / 1e9;
}

// Tells progress in steps of a hundredth, with the clock stopped: a page or a terminal may be slow to take
// it.
class Stopwatch {
  public:
    Stopwatch(const LabContext& context, double expected_tokens)
        : context_(context), expected_(expected_tokens) {
        if (!context.clock_seconds) throw Error(ErrorKind::internal, "the lab was given no clock");
    }

    TimedRun time(const Model& model, std::span<const TokenId> prompt, bool use_cache) {
        paused_ = 0;
        TimedRun run;
        const double start = context_.clock_seconds();
        const GenerateResult generated =
            generate(model, prompt, GenerateOptions::lab_greedy(kLabNewTokens, use_cache),
                     [&](const StepRecord& record) {
                         if (record.step == 1) run.first_step_seconds = context_.clock_seconds() - start;
                         tell(static_cast<double>(fed_ + record.fed_total) / expected_);
                         return !context_.stop_requested();
                     });
        run.seconds = to_nanoseconds(context_.clock_seconds() - start - paused_);
        run.first_step_seconds = to_nanoseconds(run.first_step_seconds);
        fed_ += generated.tokens_fed;
        if (!(run.seconds > 0)) {
            throw Error(ErrorKind::range,
                        "the clock is too coarse: it saw no time pass in a whole generation",
                        {.field = "time"});
        }
        return run;
    }

  private:
    void tell(double fraction) {
        if (fraction < told_ + 0.01 && fraction < 1) return;
        told_ = fraction;
        const double pause = context_.clock_seconds();
        context_.progress("time", fraction);
        paused_ += context_.clock_seconds() - pause;
    }

    const LabContext& context_;
    double expected_;
    std::uint64_t fed_ = 0;
    double told_ = 0;
    double paused_ = 0;
};

}  // namespace

const TimedRun& TimingResult::with_cache_median() const {
    return median(with_cache);
}
const TimedRun& TimingResult::without_cache_median() const {
    return median(without_cache);
}
TimingSummary TimingResult::summary() const {
    const double with = with_cache_median().seconds;
    const double without = without_cache_median().seconds;
    return {.with_cache_s = with, .without_cache_s = without, .speedup = without / with};
}
double TimingResult::spread() const {
    return std::max(spread_of(with_cache), spread_of(without_cache));
}

CachedTokenTimes cached_token_times(const TimingResult& timing, std::int64_t prompt_len,
                                    std::int64_t new_tokens) {
    const TimedRun& run = timing.with_cache_median();
    return {.first_step = run.first_step_seconds / static_cast<double>(prompt_len),
            .later_steps = (run.seconds - run.first_step_seconds) / static_cast<double>(new_tokens - 1)};
}

TimingResult run_timing(const LabContext& context, std::span<const TokenId> prompt, bool warm_up) {
    const Model& model = required(context.pretrain, "pretrained model");
    GreedyPairResult lengths;
    lengths.prompt_len = static_cast<std::int64_t>(prompt.size());
    lengths.new_tokens = kLabNewTokens;
    const auto rounds = static_cast<double>(kTimedRuns + (warm_up ? 1 : 0));
    Stopwatch watch(context, rounds * static_cast<double>(lengths.formula_with_cache() +
                                                          lengths.formula_without_cache()));
    context.progress("time", 0);
    if (warm_up) {
        watch.time(model, prompt, true);
        watch.time(model, prompt, false);
    }
    TimingResult result;
    for (std::size_t i = 0; i < kTimedRuns; ++i) {
        result.with_cache[i] = watch.time(model, prompt, true);
        result.without_cache[i] = watch.time(model, prompt, false);
    }
    return result;
}

}  // namespace mm
