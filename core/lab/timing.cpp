#include "core/lab/timing.hpp"

#include <algorithm>
#include <cmath>

#include "core/decode/generate.hpp"
#include "core/lab/greedy_pair.hpp"

namespace mm {
namespace {

using Runs = std::array<TimedRun, kTimedRuns>;

const TimedRun& median(const Runs& runs) {
    static_assert(kTimedRuns == 3);
    const auto faster = [](const TimedRun& a, const TimedRun& b) { return a.seconds < b.seconds; };
    const auto [low, high] = std::minmax(runs[0], runs[1], faster);
    return std::max(low, std::min(high, runs[2], faster), faster);
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

// Runs generations and times them.
class Stopwatch {
  public:
    Stopwatch(const LabContext& context, double expected_tokens)
        : context_(context), expected_(expected_tokens) {
        if (!context.clock_seconds) throw_error(ErrorKind::internal, "the lab was given no clock");
    }

    /// Making the session counts as part of its first step.
    Steps<TimedRun> time(const Model& model, const std::vector<TokenId>& prompt, bool use_cache) {
        TimedRun timed;
        double start = context_.clock_seconds();
        Session session(model, prompt, GenerateOptions::lab_greedy(kLabNewTokens, use_cache));
        while (!session.done()) {
            const StepRecord& record = session.step();
            timed.seconds += context_.clock_seconds() - start;
            if (record.step == 1) timed.first_step_seconds = to_nanoseconds(timed.seconds);
            tell(static_cast<double>(fed_ + record.fed_total) / expected_);
            if (context_.stop_requested()) throw_error(ErrorKind::cancelled, "generation was stopped");
            co_yield kRest;
            start = context_.clock_seconds();
        }
        fed_ += session.result().tokens_fed;
        timed.seconds = to_nanoseconds(timed.seconds);
        if (!(timed.seconds > 0)) {
            throw_error(ErrorKind::range,
                        "the clock is too coarse: it saw no time pass in a whole generation",
                        {.field = "time"});
        }
        co_return timed;
    }

  private:
    // In steps of a hundredth.
    void tell(double fraction) {
        if (fraction < told_ + 0.01 && fraction < 1) return;
        told_ = fraction;
        context_.progress("time", fraction);
    }

    const LabContext& context_;
    double expected_;
    std::uint64_t fed_ = 0;
    double told_ = 0;
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

double clock_resolution(const std::function<double()>& clock_seconds) {
    constexpr int kMoves = 5;
    constexpr int kReadings = 10'000'000;  // seconds of a clock that stands still
    double smallest = 0;
    double last = clock_seconds();
    int moves = 0;
    for (int i = 0; i < kReadings && moves < kMoves; ++i) {
        const double now = clock_seconds();
        if (!(now > last)) continue;
        smallest = moves == 0 ? now - last : std::min(smallest, now - last);
        last = now;
        ++moves;
    }
    if (moves < kMoves) throw_error(ErrorKind::range, "the clock does not move", {.field = "time"});
    return smallest;
}

Steps<TimingResult> timing_in_steps(const LabContext& context, std::vector<TokenId> prompt, bool warm_up) {
    const Model& model = required(context.pretrain, "pretrained model");
    GreedyPairResult lengths;
    lengths.prompt_len = static_cast<std::int64_t>(prompt.size());
    lengths.new_tokens = kLabNewTokens;
    const std::size_t warm_ups = warm_up ? 1 : 0;
    const auto rounds = static_cast<double>(kTimedRuns + warm_ups);
    Stopwatch watch(context, rounds * static_cast<double>(lengths.formula_with_cache() +
                                                          lengths.formula_without_cache()));
    context.progress("time", 0);
    TimingResult result;
    for (std::size_t round = 0; round < kTimedRuns + warm_ups; ++round) {
        for (const bool use_cache : kWithAndWithout) {
            const TimedRun timed = co_await watch.time(model, prompt, use_cache);
            if (round < warm_ups) continue;
            (use_cache ? result.with_cache : result.without_cache)[round - warm_ups] = timed;
        }
    }
    co_return result;
}

TimingResult run_timing(const LabContext& context, std::span<const TokenId> prompt, bool warm_up) {
    return run(timing_in_steps(context, {prompt.begin(), prompt.end()}, warm_up));
}

}  // namespace mm
