#include "core/lab/timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/decode/generate.hpp"
#include "core/lab/greedy_pair.hpp"
#include "core/lab/json_text.hpp"

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

std::string runs_text(const Runs& runs) {
    std::string text;
    for (const TimedRun& run : runs) {
        if (!text.empty()) text += " · ";
        text += rounded_text(run.seconds, 4);
    }
    return text;
}

}  // namespace

const TimedRun& TimingResult::with_cache_median() const {
    return median(with_cache);
}
const TimedRun& TimingResult::without_cache_median() const {
    return median(without_cache);
}
double TimingResult::speedup() const {
    return without_cache_median().seconds / with_cache_median().seconds;
}
double TimingResult::spread() const {
    return std::max(spread_of(with_cache), spread_of(without_cache));
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

std::string to_json(const TimingResult& result) {
    return json_text({{"with_cache_s", result.with_cache_median().seconds},
                      {"without_cache_s", result.without_cache_median().seconds},
                      {"speedup", result.speedup()}});
}

std::string to_markdown(const TimingResult& result) {
    std::string text = "한 번 데운 뒤 세 번씩 잰 시간(초)은 캐시 있음 " + runs_text(result.with_cache) +
                       ", 캐시 없음 " + runs_text(result.without_cache) +
                       "이고, 표에는 가운데 값을 적었습니다.";
    if (result.spread() >= kUnsteady) {
        text += " 가장 긴 시간이 가장 짧은 시간의 " + rounded_text(result.spread(), 3) +
                "배까지 흔들렸으니, 시간의 배수도 그만큼은 어림으로 읽어야 합니다.";
    }
    return text + "\n";
}

}  // namespace mm
