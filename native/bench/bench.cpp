#include "native/bench/bench.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "core/base/error.hpp"
#include "core/base/join.hpp"
#include "native/bench/limits.hpp"
#include "native/bench/machine.hpp"
#include "native/bench/made_up_model.hpp"
#include "native/bench/work.hpp"
#include "native/loading/cpu_count.hpp"
#include "native/loading/lab_inputs.hpp"

namespace mm {
namespace {

constexpr std::size_t kMostRounds = 20;
// A model for which all 64 steps of an uncached run would take long: a few of them stand for all.
constexpr std::uint64_t kLargeParameters = 10'000'000;
constexpr std::int64_t kFewSteps = 2;
constexpr std::array kTypes = {DType::f32, DType::f16};

// What one model is timed with.
struct Setting {
    DType dtype;
    int threads;
    InstructionSet kernels;
};

// Every type on every number of threads with the fastest kernels; and what a browser has, unless that is the
// same: one thread, float32, the slowest kernels.
std::vector<Setting> settings_of(const std::vector<int>& threads) {
    std::vector<Setting> settings;
    const InstructionSet fastest = instruction_set();
    for (const DType dtype : kTypes) {
        for (const int count : threads) {
            const bool as_browser = dtype == DType::f32 && count == 1;
            if (as_browser && fastest != InstructionSet::baseline) {
                settings.push_back({dtype, count, InstructionSet::baseline});
            }
            settings.push_back({dtype, count, fastest});
        }
    }
    return settings;
}

const ModelConfig& config_of(const std::string& size) {
    for (const NamedSize& known : named_sizes()) {
        if (known.name == size) return known.config;
    }
    std::string names;
    for (const NamedSize& known : named_sizes()) {
        names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    throw_error(ErrorKind::range, join({"unknown size '", size, "' (known: ", names, ")"}),
                {.field = "--sizes"});
}

// Options that can be used as they are.
BenchOptions completed(BenchOptions options) {
    options.rounds = std::max<std::size_t>(1, options.rounds);
    if (options.threads.empty()) {
        options.threads = {1};
        if (usable_cores() > 1) options.threads.push_back(usable_cores());
    }
    const auto refuse_repeats = [](auto list, const char* field) {
        if (list.empty()) throw_error(ErrorKind::range, "at least one is needed", {.field = field});
        std::sort(list.begin(), list.end());
        if (std::adjacent_find(list.begin(), list.end()) != list.end()) {
            throw_error(ErrorKind::range, "a value is given twice", {.field = field});
        }
    };
    refuse_repeats(options.sizes, "--sizes");
    refuse_repeats(options.threads, "--threads");
    if (!options.contexts.empty()) refuse_repeats(options.contexts, "--contexts");
    for (const std::string& size : options.sizes) {
        const std::int64_t most = config_of(size).max_position_embeddings;
        for (const std::int64_t context : options.contexts) {
            if (context < kBenchSteps || context > most) {
                throw_error(ErrorKind::range, join({"must be from ", kBenchSteps, " to ", most}),
                            {.field = "--contexts"});
            }
        }
    }
    return options;
}

// The numbers of one kind in every round.
struct Series {
    std::vector<double> prefill, decode, cached, uncached, samples;  // seconds
    std::vector<double> flops, read_one, read_four;                  // per second
    std::vector<std::vector<double>> depths;                         // seconds of a token, for each context

    std::size_t rounds() const { return cached.size(); }
};

// One model on one team of threads.
class Case {
  public:
    Case(const BenchOptions& options, const std::string& size, DType dtype, const Model& model,
         std::shared_ptr<ThreadPool> pool)
        : options_(options),
          size_(size),
          type_(to_string(dtype)),
          kernels_(to_string(instruction_set())),
          model_(model),
          pool_(std::move(pool)),
          probe_(static_cast<std::size_t>(model.weight_bytes())),
          clock_(work_clock(pool_->threads())),
          large_(model.config().parameter_count() > kLargeParameters),
          uncached_steps_(large_ ? kFewSteps : kBenchTokens) {
        series_.depths.resize(options.contexts.size());
        for (const std::int64_t context : options.contexts) {
            depths_.push_back(std::make_unique<DepthProbe>(model, context));
        }
    }

    /// Measures until there is enough. @param ids what this size must generate; filled by its first case
    void run(std::vector<TokenId>& ids, const std::function<void(double)>& on_progress) {
        const CachedRun warm_up = time_cached(model_, clock_);
        if (ids.empty()) ids = warm_up.ids;
        check(warm_up.ids == ids);
        const double start = monotonic_seconds();
        for (;;) {
            const double spent = monotonic_seconds() - start;
            const std::size_t rounds = series_.rounds();
            if (rounds >= options_.rounds && (rounds >= kMostRounds || spent >= options_.seconds)) return;
            on_progress(std::min(1.0, static_cast<double>(rounds) / static_cast<double>(options_.rounds)));
            round(ids);
        }
    }

    void report(std::vector<BenchResult>& results) const {
        const auto rates = [](const std::vector<double>& seconds, double tokens) {
            std::vector<double> out;
            for (const double s : seconds) out.push_back(tokens / s);
            return spread_of(out);
        };
        const auto in = [](const std::vector<double>& values, double unit) {
            std::vector<double> out;
            for (const double v : values) out.push_back(v / unit);
            return spread_of(out);
        };
        const double flops = spread_of(series_.flops).median;
        const bool four = spread_of(series_.read_four).median > spread_of(series_.read_one).median;
        const std::vector<double>& read = four ? series_.read_four : series_.read_one;
        const double bandwidth = spread_of(read).median;
        const auto least = [&](std::int64_t from, std::int64_t tokens) {
            return least_seconds(model_, from, tokens, flops, bandwidth);
        };
        const auto share = [](double least_time, const std::vector<double>& seconds) {
            return least_time / spread_of(seconds).median;
        };
        const auto add = [&](const std::string& what, Spread value, const char* unit,
                             std::optional<double> of_limit) {
            results.push_back({size_, what, pool_->threads(), kernels_, value, unit, of_limit});
        };

        add("multiply-add peak", in(series_.flops, 1e9), "GFLOP/s", std::nullopt);
        add("read bandwidth, " + type_ + " weights", in(read, 1e9), "GB/s", std::nullopt);
        const double prefill = least(0, kBenchPrompt);
        double decode = 0, uncached = prefill;
        for (std::int64_t i = 1; i < kBenchTokens; ++i) {
            decode += least(kBenchPrompt + i - 1, 1);
            uncached += least(0, kBenchPrompt + i);
        }
        add("prefill 201, " + type_, rates(series_.prefill, kBenchPrompt), "tokens/s",
            share(prefill, series_.prefill));
        add("decode after 201, " + type_, rates(series_.decode, kBenchTokens - 1), "tokens/s",
            share(decode, series_.decode));
        add("step 3 with cache, " + type_, in(series_.cached, 1), "s",
            share(prefill + decode, series_.cached));
        std::string without = "step 3 without cache, " + type_;
        if (uncached_steps_ < kBenchTokens) {
            without += ", from " + std::to_string(uncached_steps_) + " of 64 steps";
        }
        add(without, in(series_.uncached, 1), "s", share(uncached, series_.uncached));
        if (!large_) add("30 samples of 24, " + type_, in(series_.samples, 1), "s", std::nullopt);
        for (std::size_t i = 0; i < options_.contexts.size(); ++i) {
            const std::int64_t depth = options_.contexts[i];
            add("decode at " + std::to_string(depth) + ", " + type_, rates(series_.depths[i], 1), "tokens/s",
                share(least(depth - 1, 1), series_.depths[i]));
            const auto bytes = static_cast<double>(cache_bytes_[i]);
            add("KV cache at " + std::to_string(depth), {bytes, bytes, bytes}, "bytes", std::nullopt);
        }
    }

  private:
    void round(const std::vector<TokenId>& ids) {
        const auto stop_if_asked = [this] {
            if (options_.stop && options_.stop()) throw_error(ErrorKind::cancelled, "stopped on request");
        };
        stop_if_asked();
        series_.flops.push_back(measure_multiply_adds(*pool_, clock_));
        series_.read_one.push_back(probe_.measure(*pool_, 1, clock_));
        series_.read_four.push_back(probe_.measure(*pool_, 4, clock_));
        const CachedRun cached = time_cached(model_, clock_);
        check(cached.ids == ids);
        series_.prefill.push_back(cached.prefill_seconds);
        series_.decode.push_back(cached.seconds - cached.prefill_seconds);
        series_.cached.push_back(cached.seconds);
        stop_if_asked();
        series_.uncached.push_back(time_uncached(model_, ids, uncached_steps_, clock_));
        if (!large_) series_.samples.push_back(time_samples(model_, clock_));
        cache_bytes_.resize(depths_.size());
        for (std::size_t i = 0; i < depths_.size(); ++i) {
            const DepthRun depth = depths_[i]->time(clock_);
            series_.depths[i].push_back(depth.seconds_per_token);
            cache_bytes_[i] = depth.cache_bytes;
        }
    }

    void check(bool same) const {
        if (!same) {
            throw_error(ErrorKind::internal, join({size_,
                                                   ": the tokens depend on the type of the weights, the "
                                                   "number of threads or the kernels"}));
        }
    }

    const BenchOptions& options_;
    std::string size_;
    std::string type_;
    std::string kernels_;
    const Model& model_;
    std::shared_ptr<ThreadPool> pool_;
    ReadProbe probe_;
    std::vector<std::unique_ptr<DepthProbe>> depths_;
    std::vector<std::uint64_t> cache_bytes_;
    WorkClock clock_;
    bool large_;
    std::int64_t uncached_steps_;
    Series series_;
};

}  // namespace

Spread spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    const double median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    return {median, values.front(), values.back()};
}

BenchReport run_bench(const BenchOptions& given) {
    const BenchOptions options = completed(given);
    BenchReport report;
    report.machine = describe_machine();
    report.machine.threads = options.threads;
    const std::vector<Setting> settings = settings_of(options.threads);
    const auto cases = static_cast<double>(options.sizes.size() * settings.size());
    double done = 0;
    for (const std::string& size : options.sizes) {
        std::vector<TokenId> ids;
        std::optional<MadeUpCheckpoint> checkpoint;
        std::optional<DType> made;
        for (const Setting& setting : settings) {
            if (made != setting.dtype) checkpoint.emplace(config_of(size), setting.dtype);
            made = setting.dtype;
            const auto tell = [&](double fraction) {
                if (options.on_progress) options.on_progress((done + fraction) / cases);
            };
            tell(0);
            const KernelsForced kernels(setting.kernels);
            const auto pool = std::make_shared<ThreadPool>(setting.threads);
            const Model model(checkpoint->table(), config_of(size), pool);
            Case one(options, size, setting.dtype, model, pool);
            one.run(ids, tell);
            one.report(report.results);
            done += 1;
        }
    }
    return report;
}

}  // namespace mm
