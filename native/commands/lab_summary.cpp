#include "native/commands/lab_summary.hpp"

#include <array>
#include <cstdio>

#include "core/checkpoint/tensor_table.hpp"
#include "core/lab/json_text.hpp"
#include "native/terminal/text.hpp"

namespace mm {
namespace {

std::string times(double factor) {
    return rounded_text(factor, 4) + " times";
}

std::string mark(bool ok, bool styled) {
    if (!styled) return ok ? "✓" : "✗";
    return ok ? "\x1b[32m✓\x1b[0m" : "\x1b[1;31m✗\x1b[0m";
}

std::string number(std::int64_t value) {
    return grouped(static_cast<std::uint64_t>(value));
}

void add_pair(Rows& found, Rows& formulas, const GreedyPairResult& pair, bool styled) {
    const std::string length = number(pair.new_tokens) + " new tokens after " + number(pair.prompt_len);
    const auto difference = pair.first_difference();
    found.add("same", difference
                          ? mark(false, styled) + " " + length +
                                ": the runs with and without the cache differ from new token " +
                                std::to_string(*difference + 1) + " on"
                          : mark(true, styled) + " " + length + ", the same with the cache and without");
    found.add("count", grouped(pair.fed_with_cache) + " tokens with the cache, " +
                           grouped(pair.fed_without_cache) + " without: " + times(pair.token_factor()) +
                           " fewer");
    const std::string p = std::to_string(pair.prompt_len);
    const std::string n = std::to_string(pair.new_tokens);
    const std::string before = std::to_string(pair.new_tokens - 1);
    formulas.add("fed with cache", mark(pair.fed_with_cache == pair.formula_with_cache(), styled) +
                                       " P + (N − 1) = " + p + " + " + before + " = " +
                                       grouped(pair.formula_with_cache()));
    formulas.add("fed without", mark(pair.fed_without_cache == pair.formula_without_cache(), styled) +
                                    " N·P + N(N − 1)/2 = " + n + "·" + p + " + " + n + "·" + before +
                                    "/2 = " + grouped(pair.formula_without_cache()));
}

std::string runs_text(const std::array<TimedRun, kTimedRuns>& runs) {
    std::string text;
    for (const TimedRun& run : runs) text += (text.empty() ? "" : ", ") + duration_text(run.seconds);
    return text;
}

// The files hold the medians only; whether to believe them is told here.
void add_timing(Rows& found, const TimingResult& timing) {
    const TimingSummary summary = timing.summary();
    found.add("time", duration_text(summary.with_cache_s) + " with the cache, " +
                          duration_text(summary.without_cache_s) + " without: " + times(summary.speedup) +
                          " faster");
    std::string text = "with " + runs_text(timing.with_cache) + " (the median's first step " +
                       duration_text(timing.with_cache_median().first_step_seconds) + "); without " +
                       runs_text(timing.without_cache);
    if (timing.spread() >= kUnsteady) {
        text += ". Unsteady: the longest took " + times(timing.spread()) + " the shortest";
    }
    found.add("runs", text);
}

void add_kv_bytes(Rows& found, Rows& formulas, const KvBytesResult& kv, bool styled) {
    found.add("kvbytes", grouped(kv.measured_bytes) + " bytes for " + number(kv.tokens) + " tokens, K " +
                             shape_string({kv.k_shape.begin(), kv.k_shape.end()}));
    std::string product = "2";
    for (const std::int64_t factor :
         {kv.num_hidden_layers, kv.tokens, kv.num_key_value_heads, kv.head_dim, std::int64_t{4}}) {
        product += "·" + std::to_string(factor);
    }
    formulas.add("cache bytes", mark(kv.measured_bytes == kv.formula_bytes(), styled) +
                                    " 2 × layers × tokens × KV heads × head_dim × 4 = " + product + " = " +
                                    grouped(kv.formula_bytes()));
}

std::string temperature_text(const TemperatureResult& result) {
    std::string text;
    for (const TemperatureRow& row : result.rows) {
        text += (text.empty() ? "" : ", ") + std::to_string(row.distinct()) + " at " +
                number_text(row.temperature);
    }
    return "different answers of " + std::to_string(kLabAnswers) + ": " + text;
}

std::string top_p_text(const TopPResult& result) {
    std::string text;
    for (const TopPSurvivors& kept : result.broad.survivors) {
        text += (text.empty() ? "" : ", ") + grouped(kept.count) + " at " + number_text(kept.p);
    }
    return "candidates kept after " + result.broad.text + ": " + text;
}

}  // namespace

std::string lab_summary(const LabResults& results, int columns, bool styled) {
    Rows found;
    Rows formulas;
    for (const Artifact& file : artifacts(results)) {
        const std::string step = file.name.substr(0, file.name.find('.'));
        if (step == "same") {
            add_pair(found, formulas, results.get<GreedyPairResult>(), styled);
        } else if (step == "time") {
            if (const auto* const timing = results.find<TimingResult>()) add_timing(found, *timing);
        } else if (step == "kvbytes") {
            add_kv_bytes(found, formulas, results.get<KvBytesResult>(), styled);
        } else if (step == "temp") {
            found.add("temp", temperature_text(results.get<TemperatureResult>()));
        } else if (step == "topp") {
            found.add("topp", top_p_text(results.get<TopPResult>()));
        } else if (step != "count" && file.name.ends_with(".json")) {
            found.add(step, file.text.substr(0, file.text.find('\n')));
        }
    }
    return found.text(columns) + "\n" + formulas.text(columns);
}

}  // namespace mm
